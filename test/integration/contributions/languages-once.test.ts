import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { removeCommits } from '../../../src/contributions/items/commit-store.ts';
import {
  countLanguageFiles,
  findLanguageCommits,
  type LanguageScope,
} from '../../../src/contributions/languages/evidence-store.ts';
import { doLanguagesDiffer } from '../../../src/contributions/languages/recount-store.ts';
import { findFewLanguages, findLanguages, saveCommitLanguages } from '../../../src/contributions/languages/store.ts';
import { uncountCommits } from '../../../src/contributions/totals/total-store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { addRepository } from './stored-repository.ts';

interface Commit {
  /** The places of its addresses, author first. */
  addresses: number[];
  day: number;
  files: Record<string, number>;
}

const addresses = ['a@x.org', 'b@x.org', 'c@x.org', 'd@x.org'];
const firstDay = Date.UTC(2026, 0, 1);
const dayMs = 86_400_000;
const toDay = (day: number): Date => new Date(firstDay + day * dayMs);

const randomCommits: fc.Arbitrary<Commit[]> = fc.array(
  fc.record({
    addresses: fc.uniqueArray(fc.nat({ max: addresses.length - 1 }), { minLength: 1 }),
    day: fc.nat({ max: 3 }),
    files: fc.dictionary(fc.constantFrom('Go', 'Rust'), fc.integer({ min: 1, max: 5 }), { minKeys: 1 }),
  }),
  { minLength: 1, maxLength: 12 },
);

const toOid = (index: number): string => String(index + 1).padStart(40, '0');

/** Stores commits with their languages, in a repository whose owner has the first addresses. @returns the ids. */
async function store(
  connection: Connection,
  commits: readonly Commit[],
  own: number,
): Promise<{ repositoryId: string; accountId: string }> {
  await sql`truncate accounts, repositories, identities, commits, language_days, language_sums cascade`.execute(
    connection,
  );
  const repositoryId = await addRepository(connection);
  await sql`update repositories set needs = '{commit_languages}'`.execute(connection);
  const { rows } = await sql<{ id: string }>`select id from accounts`.execute(connection);
  const accountId = rows[0]?.id ?? '';
  const { rows: identities } = await sql<{ id: number; email: string }>`
    insert into identities (provider, email, account_id)
    select 'github', email, case when place <= ${own} then ${accountId}::uuid end
    from unnest(${addresses}::text[]) with ordinality as a (email, place) returning id, email`.execute(connection);
  const ids = addresses.map((email) => identities.find((identity) => identity.email === email)?.id ?? 0);
  for (const [index, commit] of commits.entries())
    await sql`
      insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids)
      values (${repositoryId}, decode(${toOid(index)}, 'hex'), ${toDay(commit.day)}, now(), 1,
        ${commit.addresses.map((place) => ids[place])}::integer[])`.execute(connection);
  await inTransaction(connection, (transaction) => recountRepository(transaction, repositoryId));
  const found = new Map(commits.map(({ files }, index) => [toOid(index), new Map(Object.entries(files))]));
  await inTransaction(connection, (transaction) => saveCommitLanguages(transaction, repositoryId, [], found));
  return { repositoryId, accountId };
}

/** Sums the files of each language in commits, each of which counts once. */
function naiveSums(commits: readonly Commit[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { files } of commits)
    for (const [language, count] of Object.entries(files)) sums[language] = (sums[language] ?? 0) + count;
  return sums;
}

async function expectSums(
  connection: Connection,
  { accountId, isOwner }: { accountId: string; isOwner: boolean },
  counted: readonly Commit[],
  days: { since: number | null; until: number | null },
): Promise<void> {
  const within = counted.filter(
    ({ day }) => day >= (days.since ?? 0) && day < (days.until ?? Number.POSITIVE_INFINITY),
  );
  const expected = naiveSums(within);
  const toText = (day: number | null): string | null => (day === null ? null : toDay(day).toISOString().slice(0, 10));
  const query = { accountId, isOwner, withPrivate: false };
  const found = await findLanguages(connection, query, { since: toText(days.since), until: toText(days.until) });
  assert.deepEqual(Object.fromEntries(found.map(({ language, files }) => [language, files])), expected);
  for (const [language, files] of Object.entries(expected)) {
    const scope: LanguageScope = {
      language,
      personId: isOwner ? null : accountId,
      ownerId: isOwner ? accountId : null,
      repositoryId: null,
      seesPrivateOf: null,
      countsPrivate: false,
      since: days.since === null ? null : toDay(days.since),
      until: days.until === null ? null : toDay(days.until),
    };
    const page = { limit: 100, after: undefined, before: undefined };
    const items = await findLanguageCommits(connection, scope, page);
    const { total, itemised } = await countLanguageFiles(connection, scope);
    const listed = items.reduce((sum, item) => sum + item.files, 0);
    assert.deepEqual([total, itemised, listed], [files, files, files], language);
  }
}

describe('languages of commits with several addresses', () => {
  it('count each commit once, and its evidence too', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    await fc.assert(
      fc.asyncProperty(
        randomCommits,
        fc.integer({ min: 1, max: 4 }),
        fc.nat({ max: 3 }),
        async (commits, own, since) => {
          const { repositoryId, accountId } = await store(connection, commits, own);
          const ofPerson = (list: readonly Commit[]): Commit[] =>
            list.filter((commit) => commit.addresses.some((place) => place < own));
          for (const days of [
            { since: null, until: null },
            { since, until: since + 1 },
          ]) {
            await expectSums(connection, { accountId, isOwner: true }, commits, days);
            await expectSums(connection, { accountId, isOwner: false }, ofPerson(commits), days);
          }
          const few = await findFewLanguages(connection, accountId);
          assert.equal(few === undefined, own > 1);
          await inTransaction(connection, async (transaction) => {
            await uncountCommits(transaction, repositoryId, [toOid(0)]);
            await removeCommits(transaction, repositoryId, [toOid(0)]);
          });
          const [, ...rest] = commits;
          const lifetime = { since: null, until: null };
          await expectSums(connection, { accountId, isOwner: true }, rest, lifetime);
          await expectSums(connection, { accountId, isOwner: false }, ofPerson(rest), lifetime);
          assert.equal(await doLanguagesDiffer(connection, repositoryId, { from: null, until: null }), false);
          assert.equal(
            await inTransaction(connection, (transaction) => recountRepository(transaction, repositoryId)),
            0,
          );
        },
      ),
      { numRuns: 15 },
    );
  });

  it('count each commit once for a person with many addresses', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const commits = [{ addresses: [0, 1, 2], day: 0, files: { Go: 4 } }];
    const { accountId } = await store(connection, commits, 3);
    await sql`
      insert into identities (provider, email, account_id)
      select 'github', n || '@many.org', ${accountId}::uuid from generate_series(1, 20) n`.execute(connection);
    await expectSums(connection, { accountId, isOwner: false }, commits, { since: null, until: null });
  });
});
