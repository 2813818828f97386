import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compactVerify, importJWK } from 'jose';
import { sql } from 'kysely';
import { parse } from 'yaml';
import { completeSeasons } from '../../../src/recognition/boards/seasons/correct.ts';
import { ada, bearer, engines, jsonRequest, serviceToken } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { freezeBoards, freezingAt, type Row, storeEndedBoard, toPath } from './ended-boards.ts';

interface Statement {
  season: { number: number; version: number };
  people: { rank: number; person: { login: string } | null; points: number }[];
  missing: string[];
  reason: string;
}

describe('seasons of a board', () => {
  const shared = shareStoredService();
  const path = `${engines.name}/boards`;

  const store = (slug: string, daysAgo: number, fields?: object): Promise<void> =>
    storeEndedBoard(shared.service, slug, daysAgo, fields);
  const freeze = (): Promise<void> => freezeBoards(shared.service);

  /** Returns a statement after its signature was verified with the published key. */
  const findStatement = async (season: string): Promise<Statement> => {
    const response = await shared.service.get(`${path}/${season}/statement`);
    assert.equal(response.status, 200, response.text);
    assert.match(response.headers.get('content-type') ?? '', /^application\/jwt/);
    const { payload } = await compactVerify(response.text, async ({ alg, kid = '' }) => {
      const keys = await shared.service.get(`/v1/credential-keys/${kid.split('/').at(-1)}`);
      return importJWK(JSON.parse(keys.text) as Record<string, string>, alg);
    });
    return JSON.parse(Buffer.from(payload).toString()) as Statement;
  };

  const findRows = async (season: string): Promise<Row[]> => {
    const response = await shared.service.get(`${path}/${season}?limit=100`);
    assert.equal(response.status, 200, response.text);
    return response.body.data as unknown as Row[];
  };

  it('are frozen three days after their end, with the missing repositories named, signed and exported', async () => {
    await store('waiting', 2);
    await freeze();
    assert.equal((await shared.service.get(`${path}/waiting/seasons/1`)).status, 404);
    await store('sprint', 4);
    await freeze();
    const rows = await findRows('sprint/seasons/1');
    assert.ok(rows.length > 3);
    const { missing, people, season, reason } = await findStatement('sprint/seasons/1');
    assert.ok(missing.includes('github/analytical-engines/engine-1: not_installed'));
    assert.deepEqual([season.number, season.version, reason], [1, 1, 'The window has ended.']);
    assert.deepEqual(
      people.map(({ rank, person, points }) => [rank, person?.login, points]),
      rows.map(({ rank, person, points }) => [rank, person?.name, points]),
    );
    const voters = await shared.service.get(`${path}/sprint/seasons/1?format=voters`);
    assert.match(voters.text, /^# 0 of 5 repositories are complete\n/);
    assert.deepEqual(parse(voters.text), {
      eligible_voters: rows
        .flatMap(({ points, person }) => (points >= 3 ? [person?.name ?? ''] : []))
        .toSorted((left, right) => (left.toLowerCase() < right.toLowerCase() ? -1 : 1)),
    });
    const csv = await shared.service.get(`${path}/sprint/seasons/1?format=csv`);
    const [columns = '', ...lines] = csv.text.trimEnd().split('\r\n');
    assert.ok(columns.endsWith(',complete_repositories,repositories,as_of'), columns);
    assert.equal(lines.length, rows.length);
    assert.ok(
      lines.every((line) => line.endsWith(',0,5,')),
      csv.text,
    );
    assert.equal(csv.headers.get('x-complete'), 'false');
  });

  it('are listed by pages and as a table', async () => {
    const month = (months: number): string =>
      new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - months)).toISOString().slice(0, 10);
    await store('monthly', 0, { window: { seasons: 'month', from: month(4) } });
    await freezeBoards(shared.service, new Date(Date.now() + 5 * 86_400_000));
    const { service } = shared;
    const listNumbers = (of: { body: { data: object[] } }): unknown[] =>
      of.body.data.map((row) => Reflect.get(row, 'number'));
    const whole = await service.get(`${path}/monthly/seasons`);
    const numbers = listNumbers(whole);
    assert.ok(numbers.length >= 4, whole.text);
    const first = await service.get(`${path}/monthly/seasons?limit=2`);
    const second = await service.get(`${path}/monthly/seasons?limit=2&after=${first.body.next_cursor}`);
    assert.deepEqual([...listNumbers(first), ...listNumbers(second)], numbers.slice(0, 4));
    const back = await service.get(`${path}/monthly/seasons?limit=2&before=${second.body.previous_cursor}`);
    assert.deepEqual(listNumbers(back), listNumbers(first));
    const csv = await service.get(`${path}/monthly/seasons?format=csv`);
    assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/);
    const [columns = '', ...lines] = csv.text.trimEnd().split('\r\n');
    assert.ok(columns.startsWith('number,version,name,since,until,time_zone,threshold,frozen,'), columns);
    assert.ok(columns.endsWith(',complete_repositories,repositories,as_of'), columns);
    assert.deepEqual(
      lines.map((line) => Number(line.split(',')[0])),
      numbers,
    );
  });

  it('stay as they are when contributions change later, until their owner has them counted again', async () => {
    await store('corrected', 5);
    await freeze();
    const before = await findRows('corrected/seasons/1');
    const { service, simulator } = shared;
    const { connection } = service.database;
    await sql`update contributions set account_id = null where kind = 'pull_request'`.execute(connection);
    await freeze();
    assert.deepEqual(await findRows('corrected/seasons/1'), before);
    const token = await serviceToken(service, simulator, engines);
    const corrected = await service.get(
      `${path}/corrected/seasons/1/corrections`,
      jsonRequest('POST', token, { reason: 'Pull requests of a bot were counted.' }),
    );
    assert.equal(corrected.status, 204, corrected.text);
    const after = await service.get(`${path}/corrected/seasons/1?limit=100`, bearer(token));
    const { versions } = after.body.meta_data as unknown as {
      versions: { version: number; reason: string; differences: { person: string; former_points: number }[] }[];
    };
    assert.deepEqual(
      versions.map(({ version, reason }) => [version, reason]),
      [
        [2, 'Pull requests of a bot were counted.'],
        [1, 'The window has ended.'],
      ],
    );
    const [first] = before;
    const difference = versions[0]?.differences.find(({ person }) => person === `github/${first?.person?.name}`);
    assert.equal(difference?.former_points, first?.points);
    assert.equal((await findStatement('corrected/seasons/1')).season.version, 2);
  });

  it('are counted by the present rule where their owner says so', async () => {
    const { service, simulator } = shared;
    const issues = (points: number): object => ({ points: [{ action: 'issue', points }] });
    await store('ruled', 5, issues(1));
    await freeze();
    const before = await findRows('ruled/seasons/1');
    await store('ruled', 5, issues(3));
    const token = await serviceToken(service, simulator, engines);
    const correct = (body: object): Promise<{ status: number }> =>
      service.get(`${path}/ruled/seasons/1/corrections`, jsonRequest('POST', token, body));
    assert.equal((await correct({ reason: 'Voted.', rule: 'former' })).status, 400);
    assert.equal((await correct({ reason: 'Again.' })).status, 204);
    assert.deepEqual(await findRows('ruled/seasons/1?v=2'), before);
    assert.equal((await correct({ reason: 'Voted.', rule: 'present' })).status, 204);
    const { body } = await service.get(`${path}/ruled/seasons/1?limit=100&v=3`);
    assert.deepEqual(
      (body.data as unknown as Row[]).map(({ points }) => points),
      before.map(({ points }) => points * 3),
    );
    const { versions } = body.meta_data as unknown as { versions: { reason: string; differences: object[] }[] };
    assert.equal(versions[0]?.reason, 'Counted by the present rule: Voted.');
    assert.deepEqual(versions[0].differences[0], { rule: 'points.1.points', value: '3', former_value: '1' });
  });

  it('leave out a review that its author began before their end and submitted after they were frozen', async () => {
    const { service, simulator } = shared;
    const { connection } = service.database;
    await store('reviewed', 5, { points: [{ action: 'review', points: 3 }] });
    await freeze();
    const [first = assert.fail()] = await findRows('reviewed/seasons/1');
    // Gitea states the beginning of the draft as the time of the review.
    await sql`
      insert into contributions (repository_id, kind, external_id, account_id, created_at, updated_at, seen_at)
      select r.id, 'review', 'submitted late', a.id, now() - interval '6 days', now(), now()
      from repositories r, accounts a where r.name = 'engine-1' and a.name = ${first.person?.name}`.execute(connection);
    await freeze();
    await completeSeasons(freezingAt(service, new Date()));
    const [after] = await findRows('reviewed/seasons/1');
    assert.deepEqual(after, first);
    const { sum } = (await service.get(toPath(first.evidence_url))).body.meta_data as unknown as {
      sum: { total: number; itemised: number; remainder: number };
    };
    assert.deepEqual([sum.total, sum.itemised, sum.remainder], [first.points, first.points + 3, -3]);
    const token = await serviceToken(service, simulator, engines);
    const correction = jsonRequest('POST', token, { reason: 'A review was submitted late.' });
    assert.equal((await service.get(`${path}/reviewed/seasons/1/corrections`, correction)).status, 204);
    const corrected = await findRows('reviewed/seasons/1');
    assert.equal(corrected.find(({ person }) => person?.name === first.person?.name)?.points, first.points + 3);
    await sql`delete from contributions where external_id = 'submitted late'`.execute(connection);
  });

  it('get a new version when data that was missing arrives', async () => {
    const { connection } = shared.service.database;
    await store('late', 5, { repositories: ['analytical-engines/engine-1'], points: [{ action: 'issue', points: 1 }] });
    await freeze();
    const complete = (): Promise<void> => completeSeasons(freezingAt(shared.service, new Date()));
    await complete();
    assert.equal((await findStatement('late/seasons/1')).season.version, 1);
    const before = await findRows('late/seasons/1');
    await sql`
      with engine as (update repositories set installed_at = now() where name = 'engine-1' returning id)
      insert into streams (repository_id, name, covers, completed_at, known_until, is_deep)
      select id, 'issues', '{issue,pull_request}', now(), now(), true from engine
      on conflict (repository_id, name) do update set completed_at = now(), known_until = now(), is_deep = true`.execute(
      connection,
    );
    await sql`
      insert into contributions (repository_id, kind, external_id, account_id, created_at, updated_at, seen_at)
      select r.id, 'issue', 'late', a.id, '2026-01-01', now(), now()
      from repositories r, accounts a where r.name = 'engine-1' and a.name = ${before.at(-1)?.person?.name}`.execute(
      connection,
    );
    await complete();
    await complete();
    const { season, missing, reason } = await findStatement('late/seasons/1');
    const named = 'Data that was missing has been collected: github/analytical-engines/engine-1.';
    assert.deepEqual([season.version, missing, reason], [2, [], named]);
    const points = (rows: Row[]): number => rows.reduce((sum, row) => sum + row.points, 0);
    assert.equal(points(await findRows('late/seasons/1')), points(before) + 1);
    await sql`delete from streams where name = 'issues'`.execute(connection);
    await sql`update repositories set installed_at = null where name = 'engine-1'`.execute(connection);
  });

  it('lose a person who is hidden or erased at once, and are signed again without a name', async () => {
    await store('anonymous', 6);
    await freeze();
    const { connection } = shared.service.database;
    const [first, second] = await findRows('anonymous/seasons/1');
    assert.ok(first?.person && second?.person);
    await sql`update accounts set hidden = true where name = ${first.person.name}`.execute(connection);
    const hidden = await shared.service.get(`${path}/anonymous/seasons/1`);
    const statementResponse = await shared.service.get(`${path}/anonymous/seasons/1/statement`);
    const evidence = await shared.service.get(toPath(first.evidence_url));
    assert.deepEqual([hidden.status, statementResponse.status, evidence.status], [202, 202, 202]);
    await freeze();
    await sql`delete from accounts where name = ${second.person.name}`.execute(connection);
    assert.equal((await shared.service.get(`${path}/anonymous/seasons/1`)).status, 202);
    await freeze();
    const rows = await findRows('anonymous/seasons/1');
    assert.deepEqual(
      rows.slice(0, 2).map(({ person, rank, points, evidence_url: url }) => [person, rank, points, url]),
      [first, second].map(({ rank, points }) => [null, rank, points, null]),
    );
    assert.equal((await shared.service.get(`${toPath(first.evidence_url)}&limit=2`)).status, 404);
    const statement = await findStatement('anonymous/seasons/1');
    assert.deepEqual(
      [statement.season.version, statement.reason, statement.people.slice(0, 2).map(({ person }) => person)],
      [3, 'A person was erased or hidden.', [null, null]],
    );
    const { rows: left } = await sql`
      select from board_season_ranks r where version < 3 and exists (
        select from board_seasons s join boards b on b.id = s.board_id
        where b.slug = 'anonymous' and s.board_id = r.board_id)`.execute(connection);
    assert.equal(left.length, 0);
    await sql`update accounts set hidden = false where name = ${first.person.name}`.execute(connection);
  });

  it('stay with their owner where their board was private, or of a team, and is public now', async () => {
    const { service, simulator } = shared;
    const own = bearer(await serviceToken(service, simulator, engines));
    for (const [slug, fields] of [
      ['was-private', { private: true }],
      ['was-of-team', { people: { only_members_of: `${engines.name}/core` } }],
    ] as const) {
      await store(slug, 5, fields);
      await freeze();
      await store(slug, 5);
      await freeze();
      for (const season of [`${slug}/seasons/1`, `${slug}/seasons/1/statement`]) {
        assert.equal((await service.get(`${path}/${season}`)).status, 404);
        assert.equal((await service.get(`${path}/${season}`, own)).status, 200);
      }
      const evidence = `${path}/${slug}/people/${ada.name}?season=1`;
      assert.equal((await service.get(evidence)).status, 404);
      if (slug === 'was-private') assert.equal((await service.get(evidence, own)).status, 200);
      // The public board ends at another moment, so that it has a season of its own.
      const numbersFor = async (init?: RequestInit): Promise<unknown[]> =>
        (await service.get(`${path}/${slug}/seasons`, init)).body.data.map(({ number }) => number);
      assert.deepEqual([await numbersFor(), await numbersFor(own)], [[2], [2, 1]]);
    }
  });

  it('show numbers of private repositories that their owner publishes, and their names to the owner alone', async () => {
    const { service, simulator } = shared;
    const { connection } = service.database;
    const own = bearer(await serviceToken(service, simulator, engines));
    await store('published', 5, {
      private: true,
      repositories: ['analytical-engines/hidden-engine', 'analytical-engines/engine-1'],
    });
    await freeze();
    const season = `${path}/published/seasons/1`;
    const absent = await service.get(`${path}/no-such-board/seasons/1/statement`);
    await sql`update accounts set publishes_private = true where name = ${engines.name}`.execute(connection);
    const forms = ['', '?format=csv', '?format=voters'].map((form) => `${season}${form}`);
    for (const address of [...forms, `${path}/published/seasons`, `${path}/published/feed`, path]) {
      const { status, text } = await service.get(address);
      assert.notEqual(status, 404, address);
      assert.ok(!text.includes('hidden-engine'), text);
    }
    const statement = await service.get(`${season}/statement`);
    assert.deepEqual([statement.status, statement.text], [404, absent.text]);
    assert.equal((await service.get(`${season}/statement`, own)).status, 200);
    await sql`update accounts set publishes_private = false where name = ${engines.name}`.execute(connection);
  });

  it('are frozen once, also by several processes at the same time, and after a stop between two seasons', async () => {
    await store('quarterly', 0, { window: { seasons: 'year', from: '2022-01-01' } });
    await Promise.all([freeze(), freeze(), freeze()]);
    const list = await shared.service.get(`${path}/quarterly/seasons`);
    const numbers = list.body.data.map(({ number, version }) => [number, version]);
    const count = new Date().getUTCFullYear() - 2022;
    assert.deepEqual(
      numbers,
      Array.from({ length: count }, (_, index) => [count - index, 1]),
    );
  });
});
