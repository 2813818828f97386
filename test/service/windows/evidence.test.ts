import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toCounters } from '../../../simulators/world/expected-totals.ts';
import { counterNames } from '../../../src/model/counters.ts';
import { readWindow } from '../../../src/model/windows/window.ts';
import { sampled } from '../../depth.ts';
import { ada, bearer, engines, keeper, serviceToken } from '../../integration/access/owner.ts';
import { storeAbsentRepositories } from '../../integration/http/stored-world.ts';
import { clock } from '../../time.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { checkSum, toEvidence } from './listed-evidence.ts';

describe('evidence of counters', () => {
  const { now } = clock();
  const shared = shareStoredService({ simulator: { now }, service: { now } });
  const { get, readAll } = toEvidence(shared);

  for (const query of [
    '',
    'period=2025',
    'since=2026-02-03T04:05:06Z&time_zone=Asia/Tokyo',
    'until=2026-05-01&time_zone=America/New_York',
  ]) {
    it(`adds up to each counter ${query === '' ? 'of the lifetime' : `for ${query}`}`, async () => {
      const { world } = shared.simulator;
      const window = readWindow(Object.fromEntries(new URLSearchParams(query)), now());
      const logins = [ada.name, engines.name, keeper.name];
      const expected = new Map(logins.map((login) => [login, toCounters(world, login, undefined, window)]));
      const counters = logins.flatMap((login) => counterNames.map((counter) => ({ login, counter })));
      for (const { login, counter } of sampled(counters, 3)) {
        const path = `${login}/contributions/${counter}?limit=${counter === 'commits' ? 100 : 7}&${query}`;
        const read = await readAll(path);
        checkSum(path, read);
        const isTimeless = counter === 'stars' || counter === 'discussions_answered';
        if (!(isTimeless && window !== undefined))
          assert.equal(read.first.meta_data.total, expected.get(login)?.[counter], path);
        if (!isTimeless) assert.equal(read.first.meta_data.remainder['host-total'], undefined, path);
      }
    });
  }

  it('adds up to each counter of a repository, which together are those of its owner', async () => {
    const { world } = shared.simulator;
    const organization = world.accountByLogin(engines.name) ?? assert.fail();
    const owned = world.owned(organization).filter(({ visibility }) => visibility === 'public');
    const sums: Record<string, number> = {};
    for (const { name } of owned) {
      const path = `${engines.name}/repositories/${name}/contributions`;
      const { text, status } = await shared.service.get(path);
      assert.equal(status, 200, text);
      const { data } = JSON.parse(text) as { data: { contributions: Record<string, number> }[] };
      for (const [counter, number] of Object.entries(data[0]?.contributions ?? {})) {
        sums[counter] = (sums[counter] ?? 0) + number;
        for (const query of sampled(['limit=40', 'limit=40&period=2025'], 2)) {
          const read = await readAll(`${path}/${counter}?${query}`);
          checkSum(path, read);
          if (query === 'limit=40') assert.equal(read.first.meta_data.total, number, `${path}/${counter}`);
          else assert.ok((read.first.meta_data.total ?? 0) <= number);
        }
      }
    }
    const { contributed_to: _none, ...expected } = toCounters(world, engines.name);
    assert.deepEqual(sums, expected);
    const hidden = world.owned(organization).find(({ visibility }) => visibility !== 'public')?.name ?? assert.fail();
    await storeAbsentRepositories(shared.service.database.connection, engines.name, ['no-such', hidden]);
    for (const path of ['contributions', 'contributions/commits']) {
      const [ofHidden, ofAbsent] = await Promise.all(
        [hidden, 'no-such'].map((name) => shared.service.get(`${engines.name}/repositories/${name}/${path}`)),
      );
      assert.deepEqual([ofHidden?.status, ofHidden?.text], [404, ofAbsent?.text]);
    }
  });

  it('leads back to the previous page', async () => {
    const path = `${engines.name}/contributions/commits?limit=5&until=2026-06-01`;
    const first = await get(path);
    const second = await get(`${path}&after=${first.next_cursor}`);
    const back = await get(`${path}&before=${second.previous_cursor}`);
    assert.deepEqual(back.data, first.data);
  });

  it('refuses a cursor of another list', async () => {
    const first = await get(`${engines.name}/contributions/commits?limit=5`);
    const { status } = await shared.service.get(
      `${engines.name}/contributions/issues?limit=5&after=${first.next_cursor}`,
    );
    assert.equal(status, 400);
  });

  it('shows titles, subjects and pages of items', async () => {
    const organization = shared.simulator.world.accountByLogin(engines.name) ?? assert.fail();
    const owned = shared.simulator.world.owned(organization).filter(({ visibility }) => visibility === 'public');
    const { items: commits } = await readAll(`${engines.name}/contributions/commits?limit=100`);
    for (const { oid, title, url } of commits) {
      const commit = owned.flatMap((repository) => repository.commits).find((candidate) => candidate.oid === oid);
      assert.equal(title, commit?.message.split('\n')[0]?.trim());
      assert.ok(url.endsWith(`/commit/${oid}`), url);
    }
    const { items: issues } = await readAll(`${engines.name}/contributions/issues?limit=100`);
    assert.deepEqual(
      issues.map(({ number, title }) => `${number} ${title}`).toSorted((left, right) => (left < right ? -1 : 1)),
      owned
        .flatMap((repository) => repository.issues)
        // Imported people have no account that counts.
        .filter(({ authorId }) => shared.simulator.world.accountById(authorId)?.type !== 'Mannequin')
        .map(({ number, title }) => `${number} ${title}`)
        .toSorted((left, right) => (left < right ? -1 : 1)),
    );
    assert.ok(issues.every(({ url, number }) => url.endsWith(`/issues/${number}`)));
  });

  it('names the rule by which a person counts', async () => {
    const { items } = await readAll(`${ada.name}/contributions/commits?limit=100`);
    const { world } = shared.simulator;
    for (const { oid, rule } of items) {
      const commit = world.repositories.flatMap(({ commits }) => commits).find((candidate) => candidate.oid === oid);
      const author = commit && world.accountByEmail(commit.author.email);
      assert.equal(rule, author?.login === ada.name ? 'commit.author' : 'commit.co-author');
    }
    assert.ok(items.length > 0);
  });

  it('counts private items that their owner publishes, and lists none to visitors', async () => {
    const { service, simulator } = shared;
    const token = await serviceToken(service, simulator, keeper);
    const path = `${keeper.name}/contributions/commits?limit=100&private=true`;
    const own = await readAll(path, bearer(token));
    checkSum(path, own);
    await service.database.pool.query('update accounts set publishes_private = true where name = $1', [keeper.name]);
    await service.database.pool.query(`select 1`);
    const published = await readAll(`${path}&v=2`);
    checkSum(path, published);
    assert.equal(published.first.meta_data.total, own.first.meta_data.total);
    assert.equal(published.first.meta_data.remainder['private'], own.items.length - published.items.length);
    assert.ok(own.items.length > published.items.length);
    const hidden = simulator.world.repositories.filter(({ visibility }) => visibility !== 'public');
    for (const { repository } of published.items) {
      assert.ok(!hidden.some(({ name }) => repository.endsWith(`/${name}`)), repository);
    }
  });

  it('counts the collected items where the host has no such number', async () => {
    const { pool } = shared.service.database;
    const ofAda = 'where account_id = (select id from accounts where name = $1)';
    const { rows } = await pool.query<{ commits: number; missing: string[] }>(
      `select commits, missing from counters ${ofAda}`,
      [ada.name],
    );
    await pool.query(`update counters set commits = 0, missing = '{commits}' ${ofAda}`, [ada.name]);
    try {
      const path = `${ada.name}/contributions/commits?limit=100&v=unknown`;
      const found = await readAll(path);
      checkSum(path, found);
      const { total, remainder, missing } = found.first.meta_data;
      assert.ok(total > 0);
      assert.deepEqual([remainder, missing], [{}, ['commits']]);
    } finally {
      const [stored] = rows;
      await pool.query(`update counters set commits = $2, missing = $3 ${ofAda}`, [
        ada.name,
        stored?.commits,
        stored?.missing,
      ]);
    }
  });

  it('is also sent as CSV', async () => {
    const { text, headers } = await shared.service.get(`${engines.name}/contributions/issues?limit=3&format=csv`);
    assert.match(headers.get('content-type') ?? '', /^text\/csv/);
    const lines = text.trimEnd().split('\r\n');
    assert.equal(
      lines[0],
      'kind,repository,number,oid,title,url,occurred_dttm,rule,assisted,address,change,reason,total,itemised,remainder',
    );
    assert.equal(lines.length, 4);
    assert.match(headers.get('link') ?? '', /rel="next"/);
  });

  it('has the number and its remainder in the headers and the rows of a table', async () => {
    const { pool } = shared.service.database;
    const path = `${ada.name}/contributions/commits`;
    const ofAda = `where account_id = (select id from accounts where name = $1)`;
    await pool.query(`update counters set commits = commits + 5 ${ofAda}`, [ada.name]);
    try {
      const {
        total = 0,
        itemised = 0,
        remainder = {},
      } = (await shared.service.get(path)).body.meta_data as {
        total?: number;
        itemised?: number;
        remainder?: object;
      };
      const { text, headers } = await shared.service.get(`${path}?limit=2&format=csv`);
      const rest = `host-total=${total - itemised}`;
      assert.deepEqual(remainder, { 'host-total': total - itemised });
      const named = ['x-total', 'x-itemised', 'x-remainder'].map((name) => headers.get(name));
      assert.deepEqual(named, [String(total), String(itemised), rest]);
      const lines = text.trimEnd().split('\r\n').slice(1);
      assert.ok(
        lines.every((line) => line.endsWith(`,${total},${itemised},${rest}`)),
        text,
      );
      const excluded = await shared.service.get(`${path}?excluded=true&format=csv`);
      assert.equal(excluded.headers.get('x-total'), null);
    } finally {
      await pool.query(`update counters set commits = commits - 5 ${ofAda}`, [ada.name]);
    }
  });

  it('lists what does not count, with the reason', async () => {
    const { world } = shared.simulator;
    const { pool } = shared.service.database;
    await pool.query(
      `insert into skipped_items (provider, repository_id, stream, kind, reason, path, is_stored, is_counted, items,
         first_seen_at, seen_at)
       select 'github', r.id, 'issues', 'issue', 'refused', 'nodes.*', false, false, 1, now(), now()
       from repositories r join accounts a on a.id = r.owner_id where a.name = $1 and not r.is_private limit 1`,
      [engines.name],
    );
    const issues = await readAll(`${engines.name}/contributions/issues?limit=2&excluded=true`);
    assert.deepEqual(
      issues.items.map(({ reason }) => reason),
      ['host-refuses'],
    );
    assert.equal('total' in issues.first.meta_data, false);
    const owners = world.accounts.filter((account) =>
      world.owned(account).some(({ isFork, visibility }) => isFork && visibility === 'public'),
    );
    for (const owner of owners.filter(({ isDeleted }) => !isDeleted)) {
      const all = await readAll(`${owner.login}/contributions/commits?limit=100&excluded=true`);
      const items = all.items.filter(({ reason }) => reason !== 'not-default-branch');
      const forks = world.owned(owner).filter(({ isFork, visibility }) => isFork && visibility === 'public');
      assert.deepEqual(
        items.map(({ repository, reason }) => `${repository} ${reason}`).toSorted(),
        forks.map(({ name }) => `${owner.login}/${name} fork`).toSorted(),
      );
    }
    const commits = world
      .owned(world.accountByLogin(engines.name) ?? assert.fail())
      .filter(({ isFork, visibility }) => !isFork && visibility === 'public')
      .flatMap((repository) => repository.commits)
      .filter(({ author }) => world.accountByEmail(author.email) === undefined);
    const unknown = await readAll(
      `${engines.name}/contributors/${ada.name}/evidence?limit=100&excluded=true&kinds=commits`,
    );
    assert.deepEqual(
      unknown.items
        .filter(({ reason }) => reason === 'no-account')
        .map(({ oid }) => String(oid))
        .toSorted((left, right) => (left < right ? -1 : 1)),
      commits.map(({ oid }) => oid).toSorted((left, right) => (left < right ? -1 : 1)),
    );
  });

  it('names the counter that was probably meant', async () => {
    const { status, text } = await shared.service.get(`${ada.name}/contributions/comits`);
    assert.equal(status, 400);
    assert.match(text, /did you mean commits\?/);
  });

  it('publishes the rules', async () => {
    const address = `${shared.service.url}/v1/definitions`;
    const response = await fetch(address);
    const tag = response.headers.get('etag') ?? assert.fail('a cacheable response has a tag');
    assert.equal((await fetch(address, { headers: { 'if-none-match': tag } })).status, 304);
    const { data } = (await response.json()) as {
      data: { id: string; counter: string; description: string; since_version: string }[];
    };
    for (const counter of [...counterNames, 'experience', 'level', 'contributions', 'achievements'])
      assert.ok(data.some((rule) => rule.counter === counter && rule.description !== ''));
    assert.ok(data.some(({ id }) => id === 'commit.co-author'));
    const toSince = (ruleId: string) => data.find(({ id }) => id === ruleId)?.since_version;
    assert.deepEqual(['issue.opened', 'issue.commented', 'achievements.awarded'].map(toSince), ['0.1', '0.3', '0.3']);
  });
});
