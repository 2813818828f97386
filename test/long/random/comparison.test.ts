import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { erasePerson } from '../../../bench/erase-person.ts';
import { Random } from '../../../simulators/world/random.ts';
import { findById } from '../../../src/accounts/store.ts';
import { countContributor } from '../../../src/contributions/contributors/windowed-list-store.ts';
import { type FormerScope, findChanges } from '../../../src/contributions/evidence/comparison-store.ts';
import type { ItemScope } from '../../../src/contributions/evidence/items-store.ts';
import { countersOfContributors } from '../../../src/contributions/evidence/store.ts';
import { removeCommits, saveAllCommits } from '../../../src/contributions/items/commit-store.ts';
import { saveContributions } from '../../../src/contributions/items/contribution-store.ts';
import { changeContributions } from '../../../src/contributions/items/write-store.ts';
import { changesKeptMs, deleteChanges } from '../../../src/contributions/totals/change-log-store.ts';
import { countNewCommits, uncountCommits } from '../../../src/contributions/totals/total-store.ts';
import { countParts } from '../../../src/contributions/windows/counted-window-store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { type Contribution, contributionKinds } from '../../../src/model/contribution.ts';
import { counterNames } from '../../../src/model/counters.ts';
import { itemised } from '../../../src/model/kinds.ts';
import { sampled } from '../../depth.ts';
import { openWorld, randomWindow } from '../../integration/windows/stored-windows.ts';

const now = new Date('2026-06-15T12:00:00Z');
const dayMs = 86_400_000;
const moments = 2;
const changesBetween = 6;

interface People {
  id: string;
  external_id: string;
  type: string;
}

async function findPeople(connection: Connection): Promise<People[]> {
  const { rows } = await sql<People>`
    select id, external_id, type from accounts where deleted_at is null order by external_id`.execute(connection);
  return rows;
}

async function pickRepository(connection: Connection, random: Random): Promise<string> {
  const { rows } = await sql<{ id: string }>`select id from repositories order by external_id`.execute(connection);
  return rows[random.integer(0, rows.length - 1)]?.id ?? assert.fail();
}

/** Erases a person before the first moment: items that are erased later are in neither number. */
async function eraseLeastActivePerson(connection: Connection): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select account_id as id from contributions c join accounts a on a.id = c.account_id
    where a.type = 'user' group by account_id order by count(*), account_id desc limit 1`.execute(connection);
  const account = (await findById(connection, rows[0]?.id ?? '')) ?? assert.fail();
  await erasePerson(connection, account, now);
}

function randomMoment(random: Random): Date {
  return new Date(now.getTime() - random.integer(0, 600) * dayMs - random.integer(0, 86_400) * 1000);
}

/** Changes what counts in one of the ways in which hosts and owners do. */
async function makeRandomChange(connection: Connection, random: Random, step: number): Promise<void> {
  const repositoryId = await pickRepository(connection, random);
  const people = (await findPeople(connection)).filter(({ type }) => type === 'user');
  const person = people[random.integer(0, Math.min(3, people.length - 1))] ?? assert.fail();
  const accountIds = new Map(people.map(({ id, external_id: externalId }) => [externalId, id]));
  const save = (contributions: Contribution[]): Promise<void> =>
    inTransaction(connection, (transaction) =>
      saveContributions(transaction, { repositoryId, contributions, accountIds, wholeParents: [], seenAt: new Date() }),
    );
  const item = (id: string, facts: Partial<Contribution> = {}): Contribution => ({
    kind: 'issue',
    externalId: id,
    parentExternalId: null,
    author: person.external_id,
    createdAt: randomMoment(random),
    updatedAt: new Date(now.getTime() + step * 1000),
    closedAt: null,
    mergedAt: null,
    answered: false,
    answeredBy: null,
    heading: { number: 1_000_000 + step, title: 'An item' },
    details: null,
    ...facts,
  });
  const changes = [
    () => sql`update repositories set is_private = not is_private where id = ${repositoryId}`.execute(connection),
    () => sql`update repositories set name = name || '-renamed' where id = ${repositoryId}`.execute(connection),
    () =>
      sql`update repositories set deleted_at = case when deleted_at is null then ${now}::timestamptz end
        where id = ${repositoryId}`.execute(connection),
    async () => {
      const owners = await findPeople(connection);
      const owner = owners[random.integer(0, owners.length - 1)];
      await sql`update repositories set owner_id = ${owner?.id} where id = ${repositoryId}`.execute(connection);
    },
    () =>
      inTransaction(connection, async (transaction) => {
        const { rows } = await sql<{ oid: string }>`
          select encode(oid, 'hex') as oid from commits where repository_id = ${repositoryId}
          order by oid limit 7`.execute(transaction);
        const oids = rows.map(({ oid }) => oid);
        await uncountCommits(transaction, repositoryId, oids);
        await removeCommits(transaction, repositoryId, oids);
      }),
    async () => {
      const { rows } = await sql<{ email: string }>`
        select email from identities where account_id is not null order by id limit 5`.execute(connection);
      const emails = rows.map(({ email }) => email);
      const at = randomMoment(random);
      const oid = random.integer(1, 1_000_000_000).toString(16).padStart(40, '0');
      const commits = [{ oid, authoredAt: at, committedAt: at, emails }];
      const batches = async function* () {
        yield commits;
      };
      const options = { provider: 'github', repositoryId, scanNumber: 1, isCounted: true };
      await saveAllCommits(connection, batches(), options);
      await inTransaction(connection, (transaction) => countNewCommits(transaction, repositoryId));
    },
    () => save([item(`added ${step}`), item(`closed ${step}`, { closedAt: randomMoment(random) })]),
    // The state of stored issues changes: they are closed, opened again, or have another author.
    async () => {
      const { rows } = await sql<{ external_id: string; closed_at: Date | null; created_at: Date }>`
        select external_id, closed_at, created_at from contributions
        where repository_id = ${repositoryId} and kind = 'issue' order by external_id limit 12`.execute(connection);
      await save(
        rows.map(({ external_id: id, closed_at: closedAt, created_at: createdAt }, index) =>
          item(id, {
            createdAt,
            closedAt: index % 2 === 0 || closedAt === null ? randomMoment(random) : null,
            author: people[index % 4]?.external_id ?? null,
          }),
        ),
      );
    },
    () =>
      inTransaction(connection, (transaction) =>
        changeContributions(transaction, repositoryId, (removing) =>
          removing.remove(sql`c.external_id in (
            select external_id from contributions where repository_id = ${repositoryId} order by external_id limit 9)`),
        ),
      ),
  ];
  await changes[random.integer(0, changes.length - 1)]?.();
}

/** A number of an account, as it was counted at a moment. */
interface CountedNumber {
  account: People;
  counter: string;
  withPrivate: boolean;
  range: Pick<ItemScope, 'since' | 'until'>;
  number: number;
}

async function countNow(connection: Connection, earlier: Omit<CountedNumber, 'number'>): Promise<number> {
  const { account, counter, withPrivate, range } = earlier;
  if (counter === 'contributor') {
    const scope = { accountId: await findOwner(connection), repositoryId: null, includesPrivate: withPrivate };
    const counted = { scope, ...range, kinds: contributionKinds, only: null, except: [] };
    return countContributor(connection, counted, account.id);
  }
  const isOwner = account.type === 'organization';
  const [part] = await countParts(
    connection,
    { id: account.id, isOwner, withPrivate },
    { bounds: [range.since, range.until] },
  );
  return Object.entries(part ?? {}).find(([name]) => name === counter)?.[1] ?? 0;
}

async function findOwner(connection: Connection): Promise<string> {
  return (await findPeople(connection)).find(({ type }) => type === 'organization')?.id ?? assert.fail();
}

async function assertExplained(
  connection: Connection,
  earlier: CountedNumber,
  present: CountedNumber,
  { at, withPages }: { at: Date; withPages: boolean },
): Promise<void> {
  const { account, counter, withPrivate } = earlier;
  const ofOwned = account.type === 'organization' || counter === 'stars';
  const ofContributor = counter === 'contributor';
  const owner = ofContributor ? await findOwner(connection) : account.id;
  const scope: ItemScope = {
    personId: ofOwned ? null : account.id,
    ownerId: ofOwned || ofContributor ? owner : null,
    repositoryId: null,
    seesPrivateOf: withPrivate ? owner : null,
    countsPrivate: withPrivate,
    ...present.range,
    starKey: Buffer.alloc(32, 7),
  };
  const former: FormerScope = { ...earlier.range, at };
  const counters = itemised.filter(({ name }) => name === counter);
  const itemCounters = counter === 'contributed_to' ? null : ofContributor ? countersOfContributors : counters;
  const found = await findChanges(connection, scope, itemCounters, { former, page: { limit: 100_000 } });
  const details = `${counter} of ${account.type} ${JSON.stringify({ scope, former, added: found.added, removed: found.removed })}`;
  const sum = (counts: object): number =>
    Object.values(counts).reduce((total: number, count: number) => total + count, 0);
  assert.equal(present.number - sum(found.added) + sum(found.removed), earlier.number, details);
  const hidden = [found.added, found.removed].flatMap((counts) => [
    counts.private ?? 0,
    counts['not-visible'] ?? 0,
    counts['erased-account'] ?? 0,
  ]);
  assert.equal(found.items.length, sum(found.added) + sum(found.removed) - sum(hidden), details);
  if (!withPrivate) {
    const { rows } = await sql<{ id: string }>`
      select id from repositories where not is_private and deleted_at is null`.execute(connection);
    const visible = new Set(rows.map(({ id }) => id));
    assert.deepEqual(
      found.items.filter(({ repositoryId }) => !visible.has(repositoryId)),
      [],
      details,
    );
  }
  if (!withPages) return;
  const { items, ...half } = await findChanges(connection, scope, itemCounters, { former, page: { limit: 3 } });
  assert.deepEqual([items, half.added], [found.items.slice(0, 3), found.added], details);
  const [after] = items.slice(-1);
  if (after === undefined) return;
  const next = await findChanges(connection, scope, itemCounters, { former, page: { limit: 4, after } });
  assert.deepEqual(next.items, found.items.slice(3, 7), details);
}

describe('comparison of a number with that of a former moment', () => {
  for (const seed of sampled([21, 22, 23, 24, 25, 26], 6)) {
    it(`lists everything that came and went, so that the former number follows from it, in any time zone (seed ${seed})`, async () => {
      const stored = await openWorld({ now, seed });
      await using _ = stored.opened;
      const { connection } = stored;
      const random = new Random(seed);
      const earlier: { at: Date; numbers: CountedNumber[] }[] = [];
      await eraseLeastActivePerson(connection);
      for (let moment = 0; moment <= moments; moment += 1) {
        const people = await findPeople(connection);
        const accounts = [...people.filter(({ type }) => type === 'organization'), ...people.slice(0, 3)];
        const numbers: CountedNumber[] = [];
        for (const account of accounts) {
          const range = randomWindow(random, now);
          const counters = [...counterNames, ...(account.type === 'user' ? ['contributor'] : [])];
          for (const [index, counter] of counters.entries()) {
            const counted = { account, counter, withPrivate: (index + seed) % 2 === 0, range };
            numbers.push({ ...counted, number: await countNow(connection, counted) });
          }
        }
        for (const [index, present] of numbers.entries()) {
          if ((index + moment) % 2 === 0) continue;
          for (const { at, numbers: then } of earlier)
            await assertExplained(connection, then[index] ?? assert.fail(), present, {
              at,
              withPages: index % 7 === moment,
            });
        }
        // A moment in milliseconds must be between the changes before it and those after it.
        await sql`select pg_sleep(0.002)`.execute(connection);
        const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(connection);
        earlier.push({ at: rows[0]?.at ?? now, numbers });
        await sql`select pg_sleep(0.002)`.execute(connection);
        for (let step = 0; step < changesBetween; step += 1)
          await makeRandomChange(connection, random, moment * changesBetween + step);
      }
      const { rows: before } = await sql`select from counted_changes`.execute(connection);
      assert.ok(before.length > 0);
      const later = new Date(Date.now() + changesKeptMs);
      for (let deleted = 1; deleted > 0; ) deleted = await deleteChanges(connection, later, 3);
      const { rows: left } = await sql`
        select 1 from counted_changes union all select 1 from former_repositories`.execute(connection);
      assert.equal(left.length, 0);
    });
  }
});
