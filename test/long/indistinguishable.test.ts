import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { recountRepository } from '../../bench/recount-repository.ts';
import { generateSigningKey } from '../../src/accounts/access/tokens/signing-key-store.ts';
import { removeErasedRows } from '../../src/contributions/items/erase-store.ts';
import { inTransaction } from '../../src/database/connections/transaction.ts';
import { rankBoard } from '../../src/recognition/boards/ranking/rank-board.ts';
import { freezeSeasons } from '../../src/recognition/boards/seasons/freeze.ts';
import { sampled } from '../depth.ts';
import { ada, engines, jsonRequest, serviceToken } from '../integration/access/owner.ts';
import { makeContribution, storeContributions } from '../integration/contributions/stored-repository.ts';
import { storeAbsent, storeAbsentRepositories } from '../integration/http/stored-world.ts';
import { fillIn, readAddresses, receive } from '../service/access/read-addresses.ts';
import { award } from '../service/achievements/award.ts';
import { shareStoredService, startStoredService } from '../service/http/stored-service.ts';
import { clock } from '../time.ts';

type Names = Readonly<Record<string, string>>;

/** A part of an address, with a value for something that is not public, and one for something that does not exist. */
type Pair = readonly [parameter: string, present: string, absent: string, others?: Names];

const quiet = 'quiet-person';
const settings = {
  PUBLIC_URL: 'https://plaudit.test',
  TRUST_PROXY: 'loopback',
  ANONYMOUS_REPOSITORY_CONTRIBUTORS: 'all',
  CREDENTIAL_ALGORITHM: 'EdDSA',
};

describe('data that is not public', () => {
  const { now } = clock();
  const shared = shareStoredService({ simulator: { now }, service: { now, settings } });
  const names: Record<string, string> = {
    provider: 'github',
    name: engines.name,
    repository: 'engine-1',
    login: ada.name,
    slug: 'open',
    number: '1',
    language: 'TypeScript',
  };
  let privateAward = '';
  let privateAchievement = '';

  /** Counts every board, as jobs do. */
  const rankAll = async (): Promise<void> => {
    const { connection } = shared.service.database;
    const boards = await connection.selectFrom('boards').select('id').execute();
    for (const { id } of boards) await rankBoard({ connection, now }, id);
  };

  /** Stores an issue of a person in a private repository. */
  const writeInPrivate = async (login: string, externalId: string): Promise<void> => {
    const { connection, pool } = shared.service.database;
    const { rows } = await pool.query<{ repository: string; person: string }>(
      `select r.id as repository, p.id as person from repositories r, accounts p where r.name = 'hidden-engine' and p.name = $1`,
      [login],
    );
    const [{ repository: repositoryId, person } = assert.fail()] = rows;
    const at = now();
    const heading = { number: 4711, title: 'A secret' };
    const issue = makeContribution({ externalId, author: person, createdAt: at, updatedAt: at, heading });
    await storeContributions(connection, repositoryId, [issue], { seenAt: at });
    await inTransaction(connection, (transaction) => recountRepository(transaction, repositoryId));
  };

  const findAchievement = async (awardId: string): Promise<string> => {
    const { rows } = await shared.service.database.pool.query<{ id: string }>(
      'select achievement_id as id from awards where id = $1',
      [awardId],
    );
    return rows[0]?.id ?? assert.fail();
  };

  before(async () => {
    const { service, simulator } = shared;
    const { connection, pool } = service.database;
    names['award_id'] = await award(service, 'Shown', { repository: 'engine-1' });
    privateAward = await award(service, 'Hidden', { isPrivate: true, hasAccess: true });
    names['achievement_id'] = await findAchievement(names['award_id']);
    privateAchievement = await findAchievement(privateAward);
    const repositories = [`${engines.name}/*`];
    const board = (slug: string, fields: object = {}) => ({
      board: { name: slug, slug, repositories, points: [{ action: 'commit', points: 1 }], threshold: 2, ...fields },
    });
    const ended = { since: '2000-01-01', until: new Date(now().getTime() - 5 * 86_400_000).toISOString() };
    const boards = [
      board('open', { window: ended }),
      board('shut', { private: true, window: ended }),
      board('team', { people: { only_members_of: `${engines.name}/core` } }),
    ];
    const token = await serviceToken(service, simulator, engines);
    const put = await service.get(`${engines.name}/boards`, jsonRequest('PUT', token, { version: 1, boards }));
    assert.equal(put.status, 200, put.text);
    await rankAll();
    await freezeSeasons({
      connection,
      now,
      publicUrl: () => settings.PUBLIC_URL,
      credentialAlgorithm: 'EdDSA',
      newSigningKey: generateSigningKey,
    });
    await pool.query(
      `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
       values ($1, 'github', 'quiet', '', 'user', $2, now(), now(), now())`,
      [uuidv7(), quiet],
    );
    await writeInPrivate(quiet, 'of a quiet person');
    await storeAbsentRepositories(connection, engines.name, ['hidden-engine', 'absent-engine'], now());
    await storeAbsent(connection, ['abel-laplace'], now());
  });

  /** Asserts that a stranger receives the same about both values of a part of an address. */
  const compare = async (pairs: readonly Pair[]): Promise<void> => {
    const { service } = shared;
    for (const address of await readAddresses(service)) {
      for (const [parameter, present, absent, others] of pairs) {
        if (!address.includes(`{${parameter}}`)) continue;
        const [presentAddress, absentAddress] = [present, absent].map((value) =>
          fillIn(address, { ...names, ...others, [parameter]: value }),
        );
        const received = await receive(service, presentAddress ?? '');
        assert.equal(received.replaceAll(present, absent), await receive(service, absentAddress ?? ''), presentAddress);
      }
    }
  };

  it('equals absent data for strangers, on every address', async () => {
    const absent = (id: string): string => id.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    await compare([
      ['repository', 'hidden-engine', 'absent-engine'],
      ['slug', 'shut', 'shux'],
      ['slug', 'team', 'teax'],
      ['award_id', privateAward, absent(privateAward), { name: ada.name }],
      ['achievement_id', privateAchievement, absent(privateAchievement)],
      ['login', quiet, 'abel-laplace'],
    ]);
  });

  for (const state of sampled(['hidden = true', 'hidden_by_host = true', 'deleted_at = now()'], 2)) {
    it(`equals absent data for strangers, on every address about a person with ${state}`, async () => {
      const { pool } = shared.service.database;
      await pool.query(`update accounts set ${state} where name = $1`, [ada.name]);
      try {
        await compare([
          ['name', ada.name, 'abel-laplace'],
          ['login', ada.name, 'abel-laplace'],
        ]);
      } finally {
        await pool.query(
          `update accounts set hidden = false, hidden_by_host = false, deleted_at = null where name = $1`,
          [ada.name],
        );
      }
    });
  }

  it('changes nothing that strangers receive on any address, when it is added or removed', async () => {
    const { service, simulator } = shared;
    const { connection, pool } = service.database;
    const everyAddress = (await readAddresses(service)).flatMap((address) =>
      [engines.name, ada.name].map((name) => fillIn(address, { ...names, name })),
    );
    // Neighbours are the same address about two names: an odd step tries both names.
    const addresses = sampled(everyAddress, 3);
    /** Reads the addresses from a node that has nothing in its caches. */
    const readAll = async (): Promise<Map<string, string>> => {
      await using node = await startStoredService({ simulator, now, settings, databaseUrl: service.databaseUrl });
      const received = new Map<string, string>();
      for (const address of addresses) received.set(address, await receive(node, address));
      return received;
    };
    // Images that arrive late are missing on a card, so that each is requested and stored before.
    await readAll();
    const before = await readAll();
    const successful = [...before.values()].filter((response) => response.startsWith('200'));
    assert.ok(successful.length > before.size / 3, `${successful.length} of ${before.size} addresses`);
    await writeInPrivate(ada.name, 'another');
    await rankAll();
    await pool.query('delete from repositories where is_private');
    await removeErasedRows(connection, 1_000_000);
    await rankAll();
    for (const [address, received] of await readAll()) assert.equal(received, before.get(address), address);
  });
});
