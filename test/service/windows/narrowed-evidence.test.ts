import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { ada, bearer, engines, serviceToken } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { checkSum, toEvidence } from './listed-evidence.ts';

describe('narrowed evidence', () => {
  const { now } = clock();
  const shared = shareStoredService({ simulator: { now }, service: { now } });
  const { get, readAll } = toEvidence(shared);

  it('narrows the number and its items to a type of account, and to the help of programs', async () => {
    const { pool } = shared.service.database;
    const path = `${engines.name}/contributions/commits?limit=100`;
    const all = await readAll(path);
    const { rows } = await pool.query<{ name: string; id: string; type: string }>(
      'select name, id, type from accounts where name = $1',
      [ada.name],
    );
    const [person] = rows;
    await pool.query(`update accounts set type = 'bot', name = 'claude' where id = $1`, [person?.id]);
    await pool.query(`update commits set assisted = get_byte(oid, 0) < 128`);
    try {
      const read = async (query: string) => {
        const found = await readAll(`${path}&v=3&${query}`);
        checkSum(`${path}&${query}`, found);
        return found;
      };
      const parts = [await read('type=user'), await read('type=bot'), await read('type=agent')];
      assert.ok(parts[0]?.items.length && parts[2]?.items.length);
      const unknown = await readAll(`${engines.name}/contributors/claude/evidence?excluded=true&limit=100`);
      const withoutAccount = unknown.items.filter(({ reason }) => reason === 'no-account').length;
      assert.equal(
        parts.reduce((sum, { items }) => sum + items.length, withoutAccount),
        all.items.length,
      );
      const [assisted, others] = [await read('assisted=true'), await read('assisted=false')];
      assert.ok(assisted.items.length > 0 && assisted.items.every((item) => item.assisted === true));
      assert.ok(others.items.length > 0 && others.items.every((item) => item.assisted !== true));
      assert.equal(assisted.items.length + others.items.length, all.items.length);
      const bots = await readAll(`${path}&v=3&type=user&excluded=true`);
      assert.equal(
        bots.items.filter(({ reason }) => reason === 'bot').length,
        (parts[1]?.items.length ?? 0) + (parts[2]?.items.length ?? 0),
      );
    } finally {
      await pool.query('update accounts set type = $2, name = $3 where id = $1', [
        person?.id,
        person?.type,
        person?.name,
      ]);
    }
    const stars = await shared.service.get(`${engines.name}/contributions/stars?type=user`);
    assert.equal(stars.status, 400);
  });

  it('withholds accepted responses of erased people, not those in their discussions', async () => {
    const { pool } = shared.service.database;
    const answer = async (author: string | null, answeredBy: string | null): Promise<number> => {
      const { rowCount } = await pool.query(
        `update contributions c set account_id = (select id from accounts where name = $2), answered = true,
           answered_by = (select id from accounts where name = $3), answered_at = c.updated_at
         from repositories r join accounts o on o.id = r.owner_id
         where r.id = c.repository_id and o.name = $1 and not r.is_private and c.kind = 'discussion'`,
        [engines.name, author, answeredBy],
      );
      return Number(rowCount);
    };
    // The counter of the lifetime is stored; that of a window is counted.
    const path = `${engines.name}/contributions/discussions_answered?since=1970-01-01&limit=100`;
    const answers = await answer(null, ada.name);
    assert.ok(answers > 0);
    for (const narrowed of [path, `${path}&type=user`]) {
      const found = await readAll(narrowed);
      checkSum(narrowed, found);
      assert.deepEqual([found.items.length, found.first.meta_data.remainder], [answers, {}]);
    }
    await answer(ada.name, null);
    const withheld = await readAll(path);
    checkSum(path, withheld);
    assert.deepEqual([withheld.items, withheld.first.meta_data.remainder], [[], { 'erased-account': answers }]);
    await answer(null, ada.name);
  });

  it('lists pull requests that are not merged as commits of no default branch', async () => {
    const { world } = shared.simulator;
    const engine = world.accountByLogin(engines.name) ?? assert.fail();
    const open = world
      .owned(engine)
      .filter(({ visibility }) => visibility === 'public')
      .flatMap(({ name, pullRequests }) => pullRequests.map((pull) => ({ name, pull })))
      .filter(({ pull }) => pull.mergedAt === null && world.accountById(pull.authorId)?.type !== 'Mannequin');
    const { items } = await readAll(`${engines.name}/contributions/commits?limit=100&excluded=true`);
    assert.ok(open.length > 0);
    assert.deepEqual(
      items
        .filter(({ reason }) => reason === 'not-default-branch')
        .map(({ kind, repository, number }) => `${kind} ${repository} ${number}`)
        .toSorted(),
      open.map(({ name, pull }) => `pull_request ${engines.name}/${name} ${pull.number}`).toSorted(),
    );
  });

  it('lists private items and addresses without an account among the excluded data for the owner alone', async () => {
    const { service, simulator } = shared;
    const owner = bearer(await serviceToken(service, simulator, engines));
    const counter = `${engines.name}/contributions/issues?since=2000-01-01&limit=100`;
    const [publicList, listOfOwner] = [await readAll(counter), await readAll(`${counter}&private=true`, owner)];
    const hidden = await readAll(`${counter}&excluded=true`, owner);
    const privateItems = hidden.items.filter(({ reason }) => reason === 'private');
    assert.equal(privateItems.length, listOfOwner.items.length - publicList.items.length);
    assert.ok(privateItems.length > 0);
    const publicly = await readAll(`${counter}&excluded=true`);
    assert.ok(publicly.items.every(({ reason }) => reason !== 'private'));
    const commits = `${engines.name}/contributors/${ada.name}/evidence?kinds=commits&limit=100&excluded=true`;
    const findAddresses = async (init?: RequestInit): Promise<(string | undefined)[]> =>
      (await readAll(commits, init)).items
        .filter(({ reason }) => reason === 'no-account')
        .map(({ address }) => address);
    const [addressesForOwner, addressesForOthers] = [await findAddresses(owner), await findAddresses()];
    assert.ok(addressesForOwner.length > 0 && addressesForOwner.every((address) => address?.includes('@') === true));
    assert.ok(addressesForOthers.length > 0 && addressesForOthers.every((address) => address === undefined));
  });

  it('leads through stars by cursors that do not show whose they are', async () => {
    const { world } = shared.simulator;
    const { rows } = await shared.service.database.pool.query<{ id: string; external_id: string }>(
      'select id, external_id from repositories',
    );
    await shared.service.database.pool.query(
      `insert into contributions (repository_id, kind, external_id, created_at, updated_at, seen_at)
       select r.id, 'star', s, '2026-01-01', now(), now()
       from repositories r join accounts a on a.id = r.owner_id, unnest(array['11', '12', '13']) s
       where a.name = $1 and not r.is_fork and not r.is_private limit 3`,
      [engines.name],
    );
    const { next_cursor: cursor = '', data } = await get(`${engines.name}/contributions/stars?limit=1&v=2`);
    const second = await get(`${engines.name}/contributions/stars?limit=1&v=2&after=${cursor}`);
    assert.deepEqual([data.length, second.data.length], [1, 1]);
    const text = Buffer.from(cursor, 'base64url').toString('latin1');
    const guesses = rows.flatMap(({ id }) =>
      [...world.accounts.map((account) => String(account.id)), '11', '12', '13'].map((star) =>
        createHash('md5').update(`${id}${star}`).digest('hex'),
      ),
    );
    assert.ok(!guesses.some((guess) => text.includes(guess)), text);
    assert.match(text, /"[\da-f]{64}"/);
  });
});
