import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import type { Rewrite } from '../../../simulators/host.ts';
import { toCounters } from '../../../simulators/world/expected-totals.ts';
import { narrowUncollected } from '../../../src/contributions/items/collection-store.ts';
import { findUndated } from '../../../src/contributions/windows/counted-window-store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { contributionKinds } from '../../../src/model/contribution.ts';
import { openTestDatabase } from '../../database.ts';
import { ada, engines } from '../../integration/access/owner.ts';
import { addRepository } from '../../integration/contributions/stored-repository.ts';
import { clock } from '../../time.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { startSteppedService } from '../sync/stepped-service.ts';

interface Body {
  meta_data: { source?: string; missing?: string[]; complete: boolean };
  data: { contributions: Record<string, number> }[];
}

const secondMs = 1000;
const pageSize = 4;

describe('completeness of windows while an organization is read for the first time', () => {
  it('holds once the reading, newest change first, has passed the first instant of the window', async () => {
    const { now } = clock();
    let isBroken = false;
    const rewrite: Rewrite = ({ operation, address, body }) =>
      operation === 'Issues' && (isBroken || /"after":"/.test(address)) ? { data: { invalid: true } } : body;
    await using simulator = await startSimulator({ now, repositories: 1, rewrite });
    await using service = await startSteppedService({ simulator, now });
    const { pool } = service.database;
    // The reading breaks off behind the first page.
    await pool.query(`alter table streams alter column page_size set default ${pageSize}`);
    await service.getAfterWork(`${engines.name}/contributors`);
    isBroken = true;
    const { rows } = await pool.query<{ id: string; read: number; reached: Date }>(
      `with read as (
         select repository_id, count(*)::integer as read from contributions where kind = 'issue' group by repository_id
       )
       select r.external_id as id, s.reached_at as reached, c.read
       from streams s join repositories r on r.id = s.repository_id join read c on c.repository_id = r.id
       where s.name = 'issues' and s.completed_at is null and s.reached_at is not null`,
    );
    const [{ id, read: issuesRead, reached } = assert.fail()] = rows;
    assert.deepEqual([rows.length, issuesRead], [1, pageSize]);
    const repository = simulator.world.repositories.find((repository) => String(repository.id) === id) ?? assert.fail();
    const changes = repository.issues.map(({ updatedAt }) => updatedAt).toSorted((left, right) => +right - +left);
    assert.ok(changes.length > pageSize);
    assert.equal(reached.getTime(), changes[pageSize - 1]?.getTime());

    const read = async (path: string, since: Date): Promise<Body> => {
      const { status, text } = await service.get(`${engines.name}/${path}since=${since.toISOString()}`);
      assert.equal(status, 200, text);
      return JSON.parse(text) as Body;
    };
    const inside = new Date(reached.getTime() + secondMs);
    const paths = [
      'contributions?',
      'contributors?',
      `contributors?repository=${repository.name}&`,
      'contributions/issues?',
    ];
    for (const path of paths) {
      const complete = await read(path, inside);
      const incomplete = await read(path, reached);
      assert.equal(complete.meta_data.missing?.includes('issues') ?? false, false, path);
      assert.equal(incomplete.meta_data.missing?.includes('issues'), true, path);
    }
    const { data } = await read('contributions?', inside);
    const expected = toCounters(simulator.world, engines.name, undefined, { since: inside, until: null });
    const { issues, issues_closed: closed } = data[0]?.contributions ?? {};
    assert.deepEqual([issues, closed], [expected.issues, expected.issues_closed]);
  });
});

describe("choice of the numbers of a window when the host's lifetime numbers say more than is collected", () => {
  const { now } = clock();
  const shared = shareStoredService({ simulator: { now }, service: { now, tokens: ['public_only'] } });
  const range = { since: new Date('2025-02-01T00:00:00Z'), until: new Date('2026-06-01T00:00:00Z') };
  const query = 'since=2025-02-01&until=2026-05-31';

  /** Stores what the host counts in the window, and that it counts more in all. */
  async function report(more: Partial<Record<string, number>>): Promise<void> {
    const { pool } = shared.service.database;
    const counted: Record<string, number> = toCounters(shared.simulator.world, ada.name, undefined, range);
    const names = ['commits', 'issues', 'pull_requests', 'reviews'];
    const counters = Object.fromEntries(names.map((name) => [name, (counted[name] ?? 0) + (more[name] ?? 0)]));
    await pool.query(
      `insert into reported_windows (account_id, first_day, last_day, counters, fetched_at)
       select id, '2025-02-01', '2026-05-31', $2, $3 from accounts where name = $1
       on conflict (account_id, first_day, last_day) do update set counters = excluded.counters`,
      [ada.name, JSON.stringify(counters), now()],
    );
    await pool.query(
      `update counters set issues = issues + 1 from accounts a where a.id = account_id and a.name = $1`,
      [ada.name],
    );
  }

  const read = async (path: string): Promise<Body> => {
    const { status, text } = await shared.service.get(`${ada.name}/contributions${path}`);
    assert.equal(status, 200, text);
    return JSON.parse(text) as Body;
  };
  const inMissing = ({ meta_data: { missing = [] } }: Body): string[] =>
    missing.filter((name) => ['commits', 'issues', 'pull_requests', 'reviews', 'contributed_to'].includes(name));

  it('takes collected ones where as much is stored of the window as the host counts in it', async () => {
    await report({});
    const collected = await read(`?${query}`);
    assert.deepEqual([collected.meta_data.source, inMissing(collected)], ['collected', []]);
    assert.deepEqual(inMissing(await read(`/issues?${query}`)), []);
    assert.deepEqual(inMissing(await read('?since=2025-02-01&until=2026-05-30')), ['issues']);
  });

  it("takes the host's where less is stored", async () => {
    await report({ reviews: 1 });
    const { meta_data: metadata, data } = await read(`?${query}&v=2`);
    const expected = toCounters(shared.simulator.world, ada.name, undefined, range);
    assert.deepEqual([metadata.source, data[0]?.contributions['reviews']], ['host', expected.reviews + 1]);
  });
});

describe('completeness of the kinds of contributions in a window', () => {
  const reached = new Date('2026-03-01T00:00:00Z');
  const later = new Date(reached.getTime() + secondMs);

  /** Stores a repository whose lists are being read, newest change first. */
  async function addUnread(connection: Connection): Promise<{ id: string; ownerId: string }> {
    const id = await addRepository(connection);
    await sql`update accounts set listed_at = now()`.execute(connection);
    await sql`
      insert into streams (repository_id, name, covers, reached_at)
      values (${id}, 'all', '{commit,issue,pull_request,review,discussion}', ${reached})`.execute(connection);
    const { rows } = await sql<{ id: string }>`select owner_id as id from repositories where id = ${id}`.execute(
      connection,
    );
    return { id, ownerId: rows[0]?.id ?? assert.fail() };
  }

  it('lacks commits alone after the place that the reading has reached, and all kinds at that place, before it, and of skipped items', async () => {
    await using opened = await openTestDatabase();
    const { connection } = opened.database;
    const { id, ownerId } = await addUnread(connection);
    const uncollectedSince = async (since: Date | null, repositoryId: string | null = null) =>
      narrowUncollected(connection, { accountId: ownerId, repositoryId, withPrivate: false }, contributionKinds, since);
    for (const scope of [null, id]) {
      assert.deepEqual(await uncollectedSince(later, scope), ['commit']);
      assert.deepEqual(await uncollectedSince(reached, scope), contributionKinds);
      assert.deepEqual(await uncollectedSince(null, scope), contributionKinds);
    }
    await sql`
      insert into skipped_items (provider, repository_id, stream, kind, reason, path, explanation, is_stored, is_counted,
        items, first_seen_at, seen_at)
      values ('github', ${id}, 'all', 'issue', 'unreadable', '/*', '', false, false, 1, now(), now())`.execute(
      connection,
    );
    assert.deepEqual(await uncollectedSince(later), ['commit', 'issue']);
    await sql`update accounts set listed_at = null`.execute(connection);
    assert.deepEqual(await uncollectedSince(later), contributionKinds);
    assert.deepEqual(await uncollectedSince(later, id), ['commit', 'issue']);
  });
});

describe('naming of counters whose items may lack their moment', () => {
  const created = new Date('2026-03-01T00:00:00Z');
  const later = new Date(created.getTime() + secondMs);

  it('names stars that the reading, newest first, has not passed, and discussions that the window may contain', async () => {
    await using opened = await openTestDatabase();
    const { connection } = opened.database;
    const id = await addRepository(connection);
    const { rows } = await sql<{ id: string }>`
      update repositories set stars = 3 where id = ${id} returning owner_id as id`.execute(connection);
    await sql`
      insert into streams (repository_id, name, covers, reached_at) values (${id}, 'stars', '{star}', ${created})`.execute(
      connection,
    );
    await sql`
      insert into contributions (repository_id, kind, external_id, created_at, updated_at, seen_at, answered)
      values (${id}, 'discussion', '1', ${created}, ${created}, now(), true)`.execute(connection);
    const counted = { id: rows[0]?.id ?? assert.fail(), isOwner: true, withPrivate: false };
    const undated = (since: Date | null, until: Date | null) => findUndated(connection, { ...counted, since, until });
    assert.deepEqual(await undated(null, null), ['stars', 'discussions_answered']);
    assert.deepEqual(await undated(created, later), ['stars', 'discussions_answered']);
    assert.deepEqual(await undated(null, created), ['stars']);
    assert.deepEqual(await undated(later, null), ['discussions_answered']);
  });
});
