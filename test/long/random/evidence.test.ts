import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { erasePerson } from '../../../bench/erase-person.ts';
import { Random } from '../../../simulators/world/random.ts';
import { findById } from '../../../src/accounts/store.ts';
import { countContributor } from '../../../src/contributions/contributors/windowed-list-store.ts';
import { type ItemsWanted, loadItems } from '../../../src/contributions/evidence/evidence.ts';
import type { ItemScope } from '../../../src/contributions/evidence/items-store.ts';
import { removeCommits } from '../../../src/contributions/items/commit-store.ts';
import { uncountCommits } from '../../../src/contributions/totals/total-store.ts';
import { countParts } from '../../../src/contributions/windows/counted-window-store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import type { PageStart } from '../../../src/http/pipeline/pagination.ts';
import { type PersonType, personTypes } from '../../../src/model/agents.ts';
import { type CounterName, counterNames } from '../../../src/model/counters.ts';
import { contributionKinds, itemised, namesOfKinds } from '../../../src/model/kinds.ts';
import { isThorough, sampled } from '../../depth.ts';
import { openWorld, randomWindow } from '../../integration/windows/stored-windows.ts';

const now = new Date('2026-06-15T12:00:00Z');
const pageSize = 40;
const steps = isThorough ? 6 : 3;

async function pick(connection: Connection, random: Random, table: 'accounts' | 'repositories'): Promise<string> {
  const { rows } = await sql<{ id: string }>`select id from ${sql.table(table)} order by external_id`.execute(
    connection,
  );
  return rows[random.integer(0, rows.length - 1)]?.id ?? assert.fail(table);
}

/** Changes the stored data in one of the ways in which hosts and owners do. */
async function makeRandomChange(connection: Connection, random: Random): Promise<void> {
  const repositoryId = await pick(connection, random, 'repositories');
  const changes = [
    () => sql`update repositories set is_private = not is_private where id = ${repositoryId}`.execute(connection),
    () => sql`update repositories set name = name || '-renamed' where id = ${repositoryId}`.execute(connection),
    () => sql`update repositories set deleted_at = ${now} where id = ${repositoryId}`.execute(connection),
    async () => {
      const ownerId = await pick(connection, random, 'accounts');
      await sql`update repositories set owner_id = ${ownerId} where id = ${repositoryId}`.execute(connection);
    },
    // A force push takes commits from the default branch.
    () =>
      inTransaction(connection, async (transaction) => {
        const { rows } = await sql<{ oid: string }>`
          select encode(oid, 'hex') as oid from commits where repository_id = ${repositoryId}
          order by authored_at desc limit 5`.execute(transaction);
        const oids = rows.map(({ oid }) => oid);
        await uncountCommits(transaction, repositoryId, oids);
        await removeCommits(transaction, repositoryId, oids);
      }),
    async () => {
      const account = await findById(connection, await pick(connection, random, 'accounts'));
      if (account !== undefined) await erasePerson(connection, account, now);
    },
  ];
  await changes[random.integer(0, changes.length - 1)]?.();
}

/** Has some programs write with people: one account is an agent, one a bot, and some commits are assisted. */
async function addPrograms(connection: Connection): Promise<void> {
  await sql`
    update accounts set type = 'bot', name = case when place = 1 then 'claude' else name end
    from (select account_id, row_number() over (order by count(*) desc, account_id) as place
      from contributions where account_id is not null group by account_id) as busiest
    where id = account_id and place <= 2`.execute(connection);
  await sql`update commits set assisted = get_byte(oid, 0) % 3 = 0 where get_byte(oid, 1) % 2 = 0`.execute(connection);
}

/** Returns a filter by the type of persons or the help of programs; mostly none. */
function randomFilter(random: Random, counter: string): ItemScope['filter'] {
  const type =
    counter === 'stars'
      ? undefined
      : ([undefined, ...personTypes] satisfies (PersonType | undefined)[])[random.integer(0, 3)];
  const isAssisted = [undefined, undefined, true, false][random.integer(0, 3)];
  return type === undefined && isAssisted === undefined ? undefined : { type, isAssisted };
}

/** Reads all pages of a list. @returns the ids of its items, and what the first page says about the number. */
async function readAll(connection: Connection, query: ItemsWanted) {
  const ids: string[] = [];
  let start: PageStart = {};
  for (let pages = 0; pages < 100; pages += 1) {
    const { page, hasNext, evidence, listKey } = await loadItems({ connection }, query, {
      key: 'k',
      limit: pageSize,
      start,
    });
    ids.push(...page.map(({ kind, repositoryId, id }) => `${kind} ${repositoryId} ${id}`));
    const last = page.at(-1);
    if (!hasNext || last === undefined) return { ids, evidence };
    start = { after: [...listKey, last.at, last.kind, last.repositoryId, last.id] };
  }
  return assert.fail('the list has no end');
}

/** Checks that items and remainder are the number, and that the host's number is no part of it. */
async function check(connection: Connection, query: ItemsWanted, name: string): Promise<void> {
  const { ids, evidence } = await readAll(connection, query);
  const { starKey: _starKey, ...scope } = query.scope;
  const about = `${name}: ${JSON.stringify({ scope, evidence })}`;
  assert.equal(ids.length, evidence?.itemised, about);
  assert.equal(new Set(ids).size, ids.length, about);
  assert.equal(evidence?.remainder['host-total'], undefined, about);
  const rest = Object.values(evidence?.remainder ?? {}).reduce((sum, n) => sum + n, 0);
  assert.equal((evidence?.itemised ?? 0) + rest, evidence?.total, about);
}

interface Holder {
  id: string;
  type: string;
}

/** A counter of endpoint 2 in a random window, with or without private items that the reader sees or does not. */
function ofCounter(connection: Connection, random: Random, { id, type }: Holder, counter: CounterName): ItemsWanted {
  const isOwner = type === 'organization';
  const ofOwned = isOwner || counter === 'stars';
  const withPrivate = random.integer(0, 1) === 0;
  const count = async ({ since, until }: ItemScope): Promise<number> => {
    const [part] = await countParts(connection, { id, isOwner, withPrivate }, { bounds: [since, until] });
    return part?.[counter] ?? 0;
  };
  return {
    counters: counter === 'contributed_to' ? null : itemised.filter(({ name }) => name === counter),
    scope: {
      personId: ofOwned ? null : id,
      ownerId: ofOwned ? id : null,
      repositoryId: null,
      seesPrivateOf: withPrivate && random.integer(0, 1) === 0 ? id : null,
      ...randomWindow(random, now),
      filter: randomFilter(random, counter),
      starKey: Buffer.alloc(32, 7),
    },
    countsPrivate: withPrivate,
    count: async (within) => ({
      total: await count(within),
      countedWithPrivate: withPrivate ? await count(within) : null,
    }),
  };
}

/** The number of a contributor in the lists of endpoints 3 and 7, of some kinds in a random window. */
async function ofContributor(
  connection: Connection,
  random: Random,
  owner: string,
  person: string,
): Promise<ItemsWanted> {
  const includesPrivate = random.integer(0, 1) === 0;
  const repositoryId = random.integer(0, 1) === 0 ? null : await pick(connection, random, 'repositories');
  const kinds = contributionKinds.filter(() => random.integer(0, 2) > 0);
  const scope = { accountId: owner, repositoryId, includesPrivate };
  return {
    counters: itemised.filter(({ name }) => namesOfKinds(kinds).includes(name)),
    scope: {
      personId: person,
      ownerId: owner,
      repositoryId,
      seesPrivateOf: includesPrivate ? owner : null,
      ...randomWindow(random, now),
      filter: randomFilter(random, 'commits'),
    },
    countsPrivate: includesPrivate,
    count: async ({ since, until }) => ({
      total: await countContributor(connection, { scope, since, until, kinds, only: null, except: [] }, person),
      countedWithPrivate: null,
    }),
  };
}

describe('evidence of random data', () => {
  for (const seed of sampled([11, 12, 13, 14, 15, 16], 6)) {
    it(`adds up to every number after deletions, force pushes, renames, transfers and erasures, in any time zone (seed ${seed})`, async () => {
      const stored = await openWorld({ now, seed });
      await using _ = stored.opened;
      const { connection } = stored;
      await addPrograms(connection);
      const random = new Random(seed);
      for (let step = 0; step < steps; step += 1) {
        await makeRandomChange(connection, random);
        const { rows } = await sql<Holder>`
          select id, type from accounts where deleted_at is null order by external_id`.execute(connection);
        const owners = rows.filter(({ type }) => type === 'organization');
        const people = rows.filter(({ type }) => type !== 'organization').slice(0, 3);
        for (const account of [...owners, ...people]) {
          for (const counter of counterNames)
            await check(
              connection,
              ofCounter(connection, random, account, counter),
              `${counter} of ${account.type} in step ${step}`,
            );
        }
        for (const { id: owner } of [...owners, ...people.slice(0, 1)]) {
          for (const { id: person } of people) {
            const query = await ofContributor(connection, random, owner, person);
            if (query.counters?.length !== 0) await check(connection, query, `a contributor in step ${step}`);
          }
        }
      }
    });
  }
});
