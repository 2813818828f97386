import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { ada, engines } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { checkSum, toEvidence } from './listed-evidence.ts';

interface Numbers {
  meta_data: { window: { until: string | null } };
  data: { name: string; contributions: Record<string, number> | number }[];
}

const person = ada.name;
const owner = engines.name;
const repository = `${owner}/repositories/engine-1`;

describe('contributions dated after the present day', () => {
  const { now } = clock();
  const shared = shareStoredService({ simulator: { now }, service: { now } });
  const { readAll } = toEvidence(shared);
  const read = async (path: string): Promise<Numbers> => {
    const { status, text } = await shared.service.get(path);
    assert.equal(status, 200, text);
    return JSON.parse(text) as Numbers;
  };
  const countersIn = async (path: string): Promise<Record<string, number>> => {
    const counters = (await read(path)).data[0]?.contributions;
    return typeof counters === 'object' ? counters : assert.fail(path);
  };

  const findFuture = async (path: string): Promise<string[]> => {
    const { items } = await readAll(`${path}&limit=100&excluded=true`);
    return items.flatMap(({ kind, reason }) => (reason === 'in the future' ? [kind] : [])).toSorted();
  };

  let isPostponed: Promise<void> | undefined;
  /** Dates two commits and two issues of a person two days and 25 years later, in a repository of the organization. */
  const postponed = (): Promise<void> => (isPostponed ??= postpone());
  const postpone = async (): Promise<void> => {
    const { pool, connection } = shared.service.database;
    const moments = [9000, 2].map((days) => new Date(now().getTime() + days * 86_400_000));
    const { rows } = await pool.query<{ id: string }>(
      `select r.id from repositories r join accounts o on o.id = r.owner_id where o.name = $1 and r.name = 'engine-1'`,
      [owner],
    );
    const id = rows[0]?.id ?? assert.fail();
    for (const at of moments) {
      const { rowCount: commits } = await pool.query(
        `update commits set authored_at = $2 where repository_id = $1 and oid = (
           select c.oid from commits c join identities i on i.id = c.identity_ids[1] join accounts a on a.id = i.account_id
           where c.repository_id = $1 and a.name = $3 and c.authored_at < $2 order by c.authored_at desc limit 1)`,
        [id, at, person],
      );
      const { rowCount: issues } = await pool.query(
        `update contributions set created_at = $2, account_id = (select id from accounts where name = $3)
         where repository_id = $1 and kind = 'issue' and external_id = (
           select external_id from contributions where repository_id = $1 and kind = 'issue'
           order by created_at limit 1)`,
        [id, at, person],
      );
      assert.deepEqual([commits, issues], [1, 1]);
    }
    await inTransaction(connection, (transaction) => recountRepository(transaction, id));
  };

  for (const subject of [person, owner, repository]) {
    it(`count in no window of ${subject}, with a later end or none`, async () => {
      await postponed();
      const path = `${subject}/contributions`;
      const known = await countersIn(`${path}?since=1970-01-01&until=2026-06-15`);
      for (const [window, expected] of [
        ['since=1970-01-01', 2],
        ['since=1970-01-01&time_zone=Pacific/Kiritimati', 2],
        ['since=1970-01-01&until=9999-12-31', 2],
        ['period=this-year', 1],
        ['period=last-30d', 0],
      ] as const) {
        const counters = await countersIn(`${path}?${window}`);
        if (window.startsWith('period') && subject !== repository) {
          const series = await read(`${path}?${window}&limit=2`);
          assert.deepEqual(series.data[0]?.contributions, counters);
        }
        if (window.startsWith('since')) assert.deepEqual(counters, known, window);
        for (const counter of ['commits', 'issues']) {
          const listed = await readAll(`${path}/${counter}?${window}&limit=100`);
          checkSum(counter, listed);
          assert.equal(listed.first.meta_data.total, counters[counter]);
          const kinds = await findFuture(`${path}/${counter}?${window}`);
          assert.deepEqual(
            kinds,
            Array.from({ length: expected }, () => counter.slice(0, -1)),
            `${window} ${counter}`,
          );
        }
      }
    });
  }

  it('count for no contributor of a window, and are listed beside the evidence', async () => {
    await postponed();
    const numberIn = async (window: string): Promise<unknown> =>
      (await read(`${owner}/contributors?${window}&limit=100`)).data.find(({ name }) => name === person)?.contributions;
    const known = await numberIn('since=1970-01-01&until=2026-06-15');
    assert.equal(await numberIn('since=1970-01-01'), known);
    const path = `${owner}/contributors/${person}/evidence?since=1970-01-01`;
    const listed = await readAll(`${path}&limit=100`);
    checkSum(path, listed);
    assert.equal(listed.first.meta_data.total, known);
    assert.deepEqual(await findFuture(path), ['commit', 'commit', 'issue', 'issue']);
  });

  it('count in the lifetime, as the host counts them', async () => {
    await postponed();
    const lifetime = await countersIn(`${repository}/contributions`);
    const known = await countersIn(`${repository}/contributions?since=1970-01-01`);
    assert.equal(lifetime['commits'], (known['commits'] ?? 0) + 2);
  });
});
