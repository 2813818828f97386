import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Random } from '../../simulators/world/random.ts';
import type { Change } from '../../src/hosts/interface/provider.ts';
import { applyDeliveries } from '../../src/sync/deliveries/apply-deliveries.ts';
import { isThorough } from '../depth.ts';
import {
  contributionsChanged,
  holdRepositories,
  openAppliers,
  repositoriesChanged,
  repositoryHidden,
  star,
} from '../integration/deliveries/appliers.ts';

describe('application of deliveries by two nodes', () => {
  it('applies those of one repository in the order of arrival, with locks at random', async () => {
    const random = new Random(7);
    await using fixture = await openAppliers({ nodes: 2, repositories: 12 });
    const { pool } = fixture.database;
    await pool.query(`
      create table applied (number bigserial primary key, id text, key text, transaction text);
      create function note_applied() returns trigger language plpgsql as $$ begin
        insert into applied (id, key, transaction) values (new.id, old.order_key, pg_current_xact_id()::text);
        return null;
      end $$;
      create trigger note_applied after update of applied_at on deliveries for each row execute function note_applied()`);
    const counts = new Map<string, number>();
    const toChanges = (repository: string): Change[] => {
      if (random.chance(0.2)) return [repositoryHidden(repository), repositoriesChanged(repository)];
      if (random.chance(0.2)) return [repositoriesChanged(repository), contributionsChanged(repository)];
      const person = String(random.integer(1, 4));
      const isTakenBack = (counts.get(`${repository} ${person}`) ?? 0) % 2 === 1;
      counts.set(`${repository} ${person}`, (counts.get(`${repository} ${person}`) ?? 0) + 1);
      return [
        star(
          repository,
          person,
          [...counts.values()].reduce((sum, count) => sum + count),
          isTakenBack,
        ),
      ];
    };
    for (let round = 0; round < (isThorough ? 40 : 12); round += 1) {
      const applying = fixture.nodes.map((context) => applyDeliveries(context));
      const locked = random.chance(0.3) ? [String(random.integer(1, 12))] : [];
      await using stack = new AsyncDisposableStack();
      stack.use(await holdRepositories(fixture.database, locked));
      const deliveries = Array.from({ length: random.integer(1, 12) }, () => toChanges(String(random.integer(1, 12))));
      await fixture.receive(...deliveries);
      await Promise.all(applying);
    }
    await fixture.applyUntil(0);
    assert.deepEqual(fixture.failures, []);
    const { rows } = await pool.query<{ key: string; ids: string[] }>(
      `select key, array_agg(id order by id) as ids from applied group by key, transaction order by min(number)`,
    );
    const last = new Map<string, string>();
    for (const { key, ids } of rows) {
      assert.ok((ids[0] ?? '') > (last.get(key) ?? ''), `${key}: ${ids.join(', ')} after ${last.get(key)}`);
      last.set(key, ids.at(-1) ?? '');
    }
    assert.equal(last.size, 12);
    const { rows: stars } = await pool.query<{ star: string }>(
      `select r.external_id || ' ' || c.external_id as star from contributions c
       join repositories r on r.id = c.repository_id where c.kind = 'star' order by 1`,
    );
    const expected = [...counts].flatMap(([star, count]) => (count % 2 === 1 ? [star] : [])).toSorted();
    assert.deepEqual(stars.map((row) => row.star).toSorted(), expected);
  });

  it('ends without a deadlock for many deliveries about the same people and owners', async () => {
    const random = new Random(11);
    await using fixture = await openAppliers({ nodes: 2, repositories: 8 });
    const any = (): string => String(random.integer(1, 8));
    const about = (): Change[] => {
      const repository = any();
      const person = any();
      return [
        ...(random.chance(0.2) ? [repositoryHidden(repository)] : []),
        ...(random.chance(0.1) ? [repositoryHidden(any())] : []),
        star(repository, person, random.integer(1, 1000), random.chance(0.5)),
        contributionsChanged(repository),
        repositoriesChanged(any()),
        { type: 'account', account: person, name: `owner-${person}` },
      ];
    };
    for (let batch = 0; batch < (isThorough ? 15 : 5); batch += 1) {
      await fixture.receive(...Array.from({ length: 20 }, about));
      await Promise.all(fixture.nodes.map((context) => applyDeliveries(context)));
    }
    await fixture.applyUntil(0);
    assert.deepEqual(fixture.failures, []);
    // Connections report their numbers when they end.
    await fixture.closeNodes();
    const { rows } = await fixture.database.pool.query(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    assert.deepEqual(rows, [{ deadlocks: 0 }]);
  });
});
