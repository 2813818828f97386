import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { prepareDemo } from '../../src/app/commands/demo/demo.ts';
import { importSample, sample, sampleTime } from '../../src/app/commands/sample.ts';
import { readConfig } from '../../src/app/config/config.ts';
import { createTestDatabase } from '../database.ts';
import { until } from '../time.ts';
import { startTestService } from './service.ts';

const offline = { url: 'http://127.0.0.1:9', apiUrl: 'http://127.0.0.1:9/api', tokens: {} as never };

/** Fills a database with the sample. @returns the printed lines. */
async function storeSample(url: string, directory: string): Promise<string[]> {
  const printed: string[] = [];
  await sample({
    environment: { DATABASE_URL: url, DATA_DIR: directory, LOG_LEVEL: 'silent' },
    print: (line) => void printed.push(line),
    warn: () => {},
    isTerminal: false,
    signal: new AbortController().signal,
  });
  return printed;
}

describe('the sample', () => {
  it('shows ranks that were gained and lost within its last week', async () => {
    await using created = await createTestDatabase({ withTables: false });
    await using directory = await makeTemporaryDirectory();
    await storeSample(created.url, directory.path);
    const now = () => new Date(sampleTime + 1000);
    await using service = await startTestService({ simulator: offline, tokens: [], databaseUrl: created.url, now });
    const { pool } = service.database;
    const isRanked = async (): Promise<true | undefined> => {
      const { rows } = await pool.query('select from board_rankings where built_at > $1', [new Date(sampleTime)]);
      return rows.length === 2 || undefined;
    };
    await until(isRanked, 'the boards are ranked again');
    for (const slug of ['autumn-harvest', 'monthly']) {
      const { body } = await service.get(`sample-garden/boards/${slug}`);
      const changes = body.data.map(({ change }) => Number(change));
      assert.ok(changes.filter((change) => change > 0).length >= 3 && changes.some((change) => change < 0), slug);
    }
  });

  it('shows in the demonstration what has changed since a former moment of its clock', async () => {
    await using created = await createTestDatabase({ withTables: false });
    const config = readConfig({ DATABASE_URL: created.url, DATA_DIR: '/nonexistent' }, () => '');
    await importSample(config, { warn: () => {} }, prepareDemo);
    const now = () => new Date(sampleTime + 1000);
    await using service = await startTestService({ simulator: offline, tokens: [], databaseUrl: created.url, now });
    for (const [compare, moment] of [
      ['compare=yesterday', '2026-11-13T18:00:01Z'],
      ['compare=previous&period=last-7d', '2026-11-07T18:00:01Z'],
    ] as const) {
      const { body } = await service.get(`sample-ada/contributions/commits?${compare}`);
      const { comparison } = Object(body.meta_data);
      assert.equal(comparison.compared_dttm, moment);
      assert.ok(comparison.added.new > 0, JSON.stringify(comparison));
    }
  });

  it('fills every endpoint, card and board without a network, and contains no real people', async () => {
    await using created = await createTestDatabase({ withTables: false });
    await using directory = await makeTemporaryDirectory();
    const printed = await storeSample(created.url, directory.path);
    await using service = await startTestService({
      simulator: offline,
      tokens: [],
      databaseUrl: created.url,
      now: () => new Date('2036-01-01T00:00:00Z'),
    });
    const addresses = printed.join(' ').match(/\/v1\/\S+/g) ?? [];
    assert.equal(addresses.length, 2);
    for (const path of [
      ...addresses,
      '/v1/github/entities/sample-ada',
      '/v1/github/entities/sample-ada/contributors',
      '/v1/github/entities/sample-garden/contributions',
      '/v1/github/entities/sample-garden/contributors?repository=seedbook',
    ]) {
      const { status, body } = await service.get(path);
      assert.equal(status, 200, path);
      assert.notEqual(body.meta_data.complete, false, path);
      assert.ok(body.data.length > 0, path);
    }
    const history = await service.get('sample-ada/contributions?limit=100');
    assert.ok(history.body.data.length > 7);
    assert.equal((await service.get('sample-garden/contributors?repository=no-such')).status, 404);

    for (const path of ['sample-ada/achievements', 'sample-garden/boards/monthly/seasons']) {
      const { status, body } = await service.get(path);
      assert.equal(status, 200, path);
      assert.ok(body.data.length >= 3, path);
    }
    const list = 'sample-garden/contributors?repository=seedbook&limit=100';
    for (const [type, name] of [
      ['bot', 'dependabot[bot]'],
      ['agent', 'claude'],
    ] as const) {
      const { body } = await service.get(`${list}&type=${type}`);
      assert.deepEqual(
        body.data.map((item) => item['name']),
        [name],
      );
    }
    const helped = await service.get('sample-garden/contributions/commits?assisted=true');
    assert.ok(Number(Object(helped.body.meta_data).total) > 10);
    const excluded = await service.get('sample-garden/contributions/pull_requests?type=user&excluded=true');
    assert.ok(excluded.body.data.some((item) => JSON.stringify(item).includes('"bot"')));
    const boards = await service.get('sample-garden/boards');
    assert.deepEqual(new Set(boards.body.data.map(({ slug }) => slug)), new Set(['autumn-harvest', 'monthly']));
    const isRanked = async (): Promise<true | undefined> => {
      const { rows } = await service.database.pool.query("select from board_rankings where built_at >= '2036-01-01'");
      return rows.length === 2 || undefined;
    };
    await until(isRanked, 'the boards are ranked without a request');
    const ranked = await service.get('sample-garden/boards/autumn-harvest?limit=100');
    assert.ok(ranked.body.data.length >= 12);
    const card = await service.get('sample-garden/contributors?format=svg');
    assert.match(card.text, /<image [^>]*href="data:image\/(?:png|jpeg);base64,/);
    const { rows: plain } = await service.database.pool.query(
      'select name from accounts a where not exists (select from images where url = avatar_url and large is not null)',
    );
    assert.deepEqual(plain, []);
    // Nothing lists them without a network, so that their calendars would be announced forever.
    const { rows: unlisted } = await service.database.pool.query('select name from accounts where listed_at is null');
    assert.deepEqual(unlisted, []);
    const { rows: icons } = await service.database.pool.query(
      `select icon from achievements h join repositories r on r.id = h.repository_id join accounts o on o.id = r.owner_id
       where not exists (select from images where repository_id = r.id
         and url = concat_ws('/', 'https://github.com', o.name, r.name, 'raw/HEAD', icon))`,
    );
    assert.deepEqual(icons, []);

    const text = (
      await promisify(gunzip)(await readFile(new URL('../../sample/sample.ndjson.gz', import.meta.url)))
    ).toString();
    assert.doesNotMatch(text, /noreply|@mail|127\.0\.0\.1|localhost/);
    assert.doesNotMatch(text, /@(?!sample\.invalid)[\w-]+\.[a-z]/);
    const { rows } = await service.database.pool.query(
      "select name from accounts where name not like 'sample-%' or not pinned order by name",
    );
    const isProgram = ({ name }: { name: string }): boolean => ['claude', 'dependabot[bot]'].includes(name);
    assert.deepEqual(
      rows.filter((row) => !isProgram(row)),
      [],
    );
  });
});
