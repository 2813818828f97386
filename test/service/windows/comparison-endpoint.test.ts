import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { erasePerson } from '../../../bench/erase-person.ts';
import { findByName } from '../../../src/accounts/store.ts';
import { changeContributions } from '../../../src/contributions/items/write-store.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { engines } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';

interface Compared {
  meta_data: {
    total: number;
    comparison: {
      compared_dttm: string;
      window?: { since: string | null };
      total: number | null;
      added: Record<string, number>;
      removed: Record<string, number>;
      complete: boolean;
    };
  };
  data: { change: string; reason: string; number: number; title: string; occurred_dttm: string }[];
  next_cursor?: string;
  previous_cursor?: string;
}

const dayMs = 86_400_000;

/** Returns the present time, in ms; responses state times in whole seconds. */
const presentSecond = (): number => Math.floor(Date.now() / 1000) * 1000;

describe('evidence with compare', () => {
  const shared = shareStoredService();
  /** The time since which the service knows what changed. */
  const keptSince = new Date(presentSecond() - 80 * dayMs);
  const path = `${engines.name}/contributions/issues`;
  const get = async (query: string, address = path): Promise<Compared> => {
    const { status, text } = await shared.service.get(`${address}?${query}`);
    assert.equal(status, 200, text);
    return JSON.parse(text) as Compared;
  };
  const engineId = async (): Promise<string> => {
    const { rows } = await sql<{ id: string }>`
      select r.id from repositories r join accounts o on o.id = r.owner_id
      where o.name = ${engines.name} and r.name = 'engine-1'`.execute(shared.service.database.connection);
    return rows[0]?.id ?? '';
  };

  before(async () => {
    const { connection } = shared.service.database;
    await sql`update changes_kept set since = ${keptSince}`.execute(connection);
    await sql`update contributions set stored_at = now() - interval '70 days'`.execute(connection);
    await sql`update commits set stored_at = now() - interval '70 days'`.execute(connection);
  });

  it('lists nothing where nothing changed, and names the moment of the comparison', async () => {
    const startedAt = presentSecond();
    const { meta_data: metadata, data } = await get('since=2000-01-01&compare=yesterday');
    const endedAt = Date.now();
    assert.deepEqual(data, []);
    const { compared_dttm: at, window, ...comparison } = metadata.comparison;
    assert.equal(window?.since, '2000-01-01T00:00:00Z');
    assert.deepEqual(comparison, { total: metadata.total, added: {}, removed: {}, complete: true });
    const comparedAt = Date.parse(at) + dayMs;
    assert.ok(startedAt <= comparedAt && comparedAt <= endedAt, at);
  });

  it('lists items that came and went with their reasons, in pages, also as CSV, without titles of deleted ones', async () => {
    const { connection } = shared.service.database;
    const repositoryId = await engineId();
    const before = (await get('since=2000-01-01&compare=yesterday')).meta_data.total;
    const { rows } = await sql<{ number: number }>`
      select number from contributions where repository_id = ${repositoryId} and kind = 'issue' and account_id is not null
      order by created_at desc limit 2`.execute(connection);
    const [first, second] = rows.map(({ number }) => number);
    await inTransaction(connection, (transaction) =>
      changeContributions(transaction, repositoryId, (change) =>
        change.remove(sql`c.kind = 'issue' and c.number = ${first}`),
      ),
    );
    await sql`update contributions set stored_at = now() where repository_id = ${repositoryId} and kind = 'issue'
      and number = ${second}`.execute(connection);
    const { meta_data: metadata, data } = await get('since=2000-01-01&compare=yesterday');
    assert.deepEqual([metadata.total, metadata.comparison.total], [before - 1, before - 1]);
    assert.deepEqual(
      data.map(({ change, reason, number, title }) => [change, reason, number, title !== '']),
      [
        ['removed', 'deleted', first, false],
        ['added', 'late', second, true],
      ],
    );
    const page = await get('since=2000-01-01&compare=yesterday&limit=1');
    assert.deepEqual(page.data, data.slice(0, 1));
    const next = await get(`since=2000-01-01&compare=yesterday&limit=1&after=${page.next_cursor}`);
    assert.deepEqual(next.data, data.slice(1));
    const back = await get(`since=2000-01-01&compare=yesterday&limit=1&before=${next.previous_cursor}`);
    assert.deepEqual(back.data, page.data);
    const ofRepository = await get(
      'since=2000-01-01&compare=yesterday',
      `${engines.name}/repositories/engine-1/contributions/issues`,
    );
    assert.deepEqual(ofRepository.data, data);
    const { total, comparison } = ofRepository.meta_data;
    assert.deepEqual(
      [comparison.added, comparison.removed, comparison.total],
      [metadata.comparison.added, metadata.comparison.removed, total],
    );
    const csv = await shared.service.get(`${path}?since=2000-01-01&compare=yesterday&format=csv`);
    assert.match(csv.text.split('\r\n')[1] ?? '', /removed,deleted/);
    const { status } = await shared.service.get(`${path}?after=${page.next_cursor}`);
    assert.equal(status, 400);
  });

  it('compares a period with the one before it, as far back as changes are kept', async () => {
    const startedAt = presentSecond();
    const { meta_data: metadata } = await get('compare=previous&period=last-30d');
    const endedAt = Date.now();
    const { compared_dttm: at, window } = metadata.comparison;
    const comparedAt = Date.parse(at) + 30 * dayMs;
    assert.ok(startedAt <= comparedAt && comparedAt <= endedAt, at);
    assert.ok(Math.abs(Date.parse(window?.since ?? '') + 59 * dayMs - startedAt) < dayMs);
    const year = await get('compare=previous&period=last-365d');
    assert.deepEqual(new Date(year.meta_data.comparison.compared_dttm), keptSince);
  });

  it('refuses a comparison without a window to go back by, and filters that former items do not have', async () => {
    for (const [query, message] of [
      ['compare=previous', /did you mean yesterday\? compare=previous needs a window with two ends/],
      ['compare=previous&since=2020-01-01', /did you mean yesterday\?/],
      ['compare=previous&since=1980-01-01&until=2026-01-01', /did you mean yesterday\? .* begins before 1970/],
      ['compare=previous&period=1970', /begins before 1970/],
      ['compare=yesterday&type=user', /together with type or assisted; keep one/],
      ['compare=yesterday&assisted=false', /together with type or assisted; keep one/],
      ['compare=yesterday&excluded=true', /together with excluded; keep one/],
      ['compare=yesterdy', /compare: did you mean yesterday\?/],
      ['compare=last', /compare must be/],
    ] as const) {
      for (const comparedPath of [path, `${engines.name}/repositories/engine-1/contributions/issues`]) {
        const { status, text } = await shared.service.get(`${comparedPath}?${query}`);
        assert.equal(status, 400, text);
        assert.match(text, message);
      }
    }
  });

  it('counts items of a repository that is private now without naming it', async () => {
    const { connection } = shared.service.database;
    const id = await engineId();
    const before = (await get('since=2000-01-01&compare=yesterday')).meta_data.comparison.total;
    await sql`update repositories set is_private = true where id = ${id}`.execute(connection);
    const { meta_data: metadata, data } = await get('since=2000-01-01&compare=yesterday');
    assert.equal(metadata.comparison.total, before);
    assert.ok((metadata.comparison.removed['not-visible'] ?? 0) > 0, JSON.stringify(metadata));
    assert.deepEqual(
      data.filter((item) => JSON.stringify(item).includes('engine-1')),
      [],
    );
    // The log has one entry for a removal of too many items.
    assert.equal(metadata.comparison.complete, true);
    await sql`
      insert into counted_changes (repository_id, kind, external_id, counter, at, is_co_authored, is_added, stored_at,
        changed_at)
      values (${id}, '', '', '*', now(), false, false, now(), now())`.execute(connection);
    assert.equal((await get('since=2000-01-01&compare=yesterday')).meta_data.comparison.complete, false);
    await sql`delete from counted_changes where counter = '*'`.execute(connection);
    await sql`update repositories set is_private = false where id = ${id}`.execute(connection);
    await sql`delete from former_repositories`.execute(connection);
  });

  it('forgets the changes of an account that is erased', async () => {
    const { connection } = shared.service.database;
    const repositoryId = await engineId();
    await inTransaction(connection, (transaction) =>
      changeContributions(transaction, repositoryId, (change) => change.remove(sql`c.kind = 'review'`)),
    );
    const { rows } = await sql<{ name: string }>`
      select a.name from counted_changes c join accounts a on a.id = c.account_id where c.kind = 'review'
      group by a.name order by a.name limit 1`.execute(connection);
    const name = rows[0]?.name ?? '';
    const holder = await findByName(connection, 'github', name);
    assert.ok(holder);
    const evidence = await get(
      'since=2000-01-01&compare=yesterday&kinds=reviews',
      `${engines.name}/contributors/${name}/evidence`,
    );
    assert.ok((evidence.meta_data.comparison.removed['deleted'] ?? 0) > 0);
    await erasePerson(connection, holder.account, new Date());
    const { rows: left } = await sql`
      select from counted_changes where account_id = ${holder.account.id}`.execute(connection);
    assert.deepEqual(left, []);
  });
});
