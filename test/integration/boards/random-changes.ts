import { Readable } from 'node:stream';
import fc from 'fast-check';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { eraseRest } from '../../../bench/erase-person.ts';
import { emptyAccount } from '../../../src/accounts/visibility/erase-store.ts';
import { removeCommits, saveAllCommits } from '../../../src/contributions/items/commit-store.ts';
import { adoptOrphans } from '../../../src/contributions/items/contribution-store.ts';
import { releaseAddresses, saveResolved } from '../../../src/contributions/items/identity-store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { takeErasureLock } from '../../../src/database/schema/erasure.ts';
import { type Contribution, type ItemKind, noDetails } from '../../../src/model/contribution.ts';
import { saveTeam } from '../../../src/recognition/boards/people/team-store.ts';
import { requestBoardsWithTeam } from '../../../src/recognition/boards/ranking/request-store.ts';
import { beginning, days, emojis, labels, names, reasons } from '../achievements/evaluation/world.ts';
import { makeContribution, removeContributions, storeContributions } from '../contributions/stored-repository.ts';

/** Two repositories of two owners and hosts, whose people and contributions change by the stores of the service. */
export interface ChangingWorld {
  connection: Connection;
  repositoryIds: readonly string[];
  ownerId: string;
  accountIds: readonly string[];
}

/** Providers have a name of their own in each world, so that worlds in one database have nothing in common. */
export async function storeWorld(connection: Connection, providers: readonly string[]): Promise<ChangingWorld> {
  const accountIds: string[] = [];
  const repositoryIds: string[] = [];
  const add = async (provider: string, name: string, type: string): Promise<string> => {
    const id = uuidv7();
    await sql`
      insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
      values (${id}, ${provider}, ${id}, '', ${type}, ${name}, now(), now(), now())`.execute(connection);
    return id;
  };
  let ownerId = '';
  for (const [index, provider] of providers.entries()) {
    const owner = await add(provider, 'acme', 'organization');
    if (index === 0) ownerId = owner;
    const id = uuidv7();
    await sql`
      insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at,
        installed_at, created_at, updated_at)
      values (${id}, ${provider}, ${id}, '', ${owner}, 'app', false, false, now(), now(), now(), now(), now())`.execute(
      connection,
    );
    repositoryIds.push(id);
  }
  for (const [index, name] of names.entries())
    accountIds.push(await add(providers[index % 2] ?? '', name, name.endsWith('[bot]') ? 'bot' : 'user'));
  return { connection, repositoryIds, ownerId, accountIds };
}

const hourMs = 3_600_000;
const slot = fc.nat({ max: 9 });
const person = fc.nat({ max: names.length - 1 });
const optionalPerson = fc.oneof({ weight: 4, arbitrary: person }, { weight: 1, arbitrary: fc.constant(null) });
const people = fc.array(person, { maxLength: 3 });
const repository = fc.nat({ max: 1 });
const moment = fc.nat({ max: days * 8 }).map((steps) => beginning + steps * 3 * hourMs);
const hours = fc.nat({ max: 30 }).map((number) => number * hourMs);

const stored = fc.record({
  kind: fc.constant('store' as const),
  repository,
  slot,
  author: optionalPerson,
  resolvedBy: optionalPerson,
  mergedBy: optionalPerson,
  assignees: people,
  reviewers: people,
  createdAt: moment,
  openForMs: fc.option(hours),
  isMerged: fc.boolean(),
  labels: fc.subarray(labels),
  reactor: optionalPerson,
  emoji: fc.constantFrom(...emojis),
  reason: fc.option(fc.constantFrom(...reasons)),
  comments: fc.nat({ max: 4 }),
});
const accountChange = fc.record({
  kind: fc.constant('account' as const),
  person,
  set: fc.constantFrom(
    'hidden = true',
    'hidden = false',
    'hidden_by_host = true',
    'hidden_by_host = false',
    "type = 'bot'",
    "type = 'user'",
    "name = 'renamed'",
    "name = 'granted'",
    "name = 'excluded'",
    'deleted_at = now()',
    'deleted_at = null',
  ),
});

/** Generates a change of contributions, commits, accounts, teams or repositories. */
export const randomChange = fc.oneof(
  { weight: 12, arbitrary: stored },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), repository, slot }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      repository,
      slot,
      createdAt: moment,
      emails: fc.uniqueArray(fc.nat({ max: 7 }), { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), repository, slot }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('resolve' as const), repository, email: fc.nat({ max: 7 }), person }),
  },
  { weight: 3, arbitrary: accountChange },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('team' as const), people }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), person }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('visibility' as const), repository, isPrivate: fc.boolean() }),
  },
);
export type RandomChange = typeof randomChange extends fc.Arbitrary<infer Change> ? Change : never;

/** The kinds of the contributions with each number; comments are about the issue and the pull request before them. */
const kindsBySlot: readonly ItemKind[] = [
  'issue',
  'issue_comment',
  'pull_request',
  'pull_request_comment',
  'review_comment',
  'review',
  'pull_request',
  'issue',
  'discussion',
  'star',
];
const parents: Readonly<Record<number, string>> = { 1: '0', 3: '2', 4: '2', 5: '2' };

function toContribution(
  { slot, author, createdAt, openForMs, isMerged, ...rest }: Extract<RandomChange, { kind: 'store' }>,
  toId: (index: number | null) => string | null,
  updatedAt: Date,
): Contribution {
  const kind = kindsBySlot[slot] ?? 'issue';
  const hasEnd = ['pull_request', 'issue', 'discussion'].includes(kind) && openForMs !== null;
  const closedAt = hasEnd ? new Date(createdAt + openForMs) : null;
  const { resolvedBy, mergedBy, reactor, emoji, reason } = rest;
  const isIssue = kind === 'issue';
  const ids = (persons: readonly number[]) => [...new Set(persons)].flatMap((index) => toId(index) ?? []);
  return makeContribution({
    kind,
    externalId: String(slot),
    parentExternalId: parents[slot] ?? null,
    author: toId(author),
    createdAt: new Date(createdAt),
    updatedAt,
    closedAt,
    mergedAt: kind === 'pull_request' && isMerged ? closedAt : null,
    answered: kind === 'discussion' && resolvedBy !== null,
    answeredBy: kind === 'discussion' ? toId(resolvedBy) : null,
    details: {
      ...noDetails,
      number: slot,
      resolvedBy: isIssue && closedAt !== null ? toId(resolvedBy) : null,
      mergedBy: kind === 'pull_request' && isMerged ? toId(mergedBy) : null,
      assignees: ids(rest.assignees),
      reviewers: kind === 'pull_request' ? ids(rest.reviewers) : [],
      labels: rest.labels,
      reactions: [{ emoji, reactor: toId(reactor) }],
      comments: rest.comments,
      reason: isIssue && closedAt !== null ? reason : null,
    },
  });
}

/** Returns the id of a commit of a repository, hexadecimal. */
const toOid = (slot: number): string => `${slot}`.padStart(40, '0');

/** The world that a change is made in. */
interface ChangeContext {
  world: ChangingWorld;
  repositoryId: string;
  /** Returns the id of a person who is not erased. */
  toId: (index: number | null) => string | null;
  /** The time of the change, later than that of each change before it. */
  at: Date;
}

type ChangeOf<Kind extends RandomChange['kind']> = Extract<RandomChange, { kind: Kind }>;

/** Makes a change with the stores that the service uses for it. */
export async function makeChange(world: ChangingWorld, change: RandomChange, step: number): Promise<void> {
  const { connection, repositoryIds, accountIds } = world;
  const { rows } = await sql<{ id: string }>`
    select id from accounts where id = any(${[...accountIds]}::uuid[])`.execute(connection);
  const present = new Set(rows.map(({ id }) => id));
  const toId = (index: number | null): string | null => {
    const id = index === null ? undefined : accountIds[index];
    return id !== undefined && present.has(id) ? id : null;
  };
  const repositoryId = 'repository' in change ? (repositoryIds[change.repository] ?? '') : '';
  const context: ChangeContext = { world, repositoryId, toId, at: new Date(Date.UTC(2024, 6, 1) + step * 1000) };
  switch (change.kind) {
    case 'store':
      return store(context, change);
    case 'remove':
      return removeContributions(connection, repositoryId, sql<boolean>`c.external_id = ${String(change.slot)}`);
    case 'commit':
      return storeCommit(context, change, step);
    case 'drop':
      return inTransaction(connection, (transaction) => removeCommits(transaction, repositoryId, [toOid(change.slot)]));
    case 'resolve':
      return resolve(context, change);
    case 'account':
      await sql`update accounts set ${sql.raw(change.set)} where id = ${accountIds[change.person]}`.execute(connection);
      return undefined;
    case 'team':
      return changeTeam(context, change);
    case 'erase':
      return erase(context, change);
    case 'visibility':
      await sql`update repositories set is_private = ${change.isPrivate} where id = ${repositoryId}`.execute(
        connection,
      );
      return undefined;
    default:
      return change satisfies never;
  }
}

const toEmail = ({ ownerId }: ChangingWorld, number: number): string => `${number}@${ownerId}`;

async function store({ world, repositoryId, toId, at }: ChangeContext, change: ChangeOf<'store'>): Promise<void> {
  const { connection } = world;
  await storeContributions(connection, repositoryId, [toContribution(change, toId, at)], { seenAt: at });
  await inTransaction(connection, (transaction) => adoptOrphans(transaction, repositoryId));
}

async function storeCommit(
  { world, repositoryId }: ChangeContext,
  { slot, createdAt, emails }: ChangeOf<'commit'>,
  step: number,
): Promise<void> {
  const at = new Date(createdAt);
  const record = {
    oid: toOid(slot),
    authoredAt: at,
    committedAt: at,
    emails: emails.map((number) => toEmail(world, number)),
  };
  const options = { provider: 'github', repositoryId, scanNumber: step + 1, isCounted: false };
  await saveAllCommits(world.connection, Readable.from([[record]]), options);
}

async function resolve({ world, toId, at }: ChangeContext, { email, person }: ChangeOf<'resolve'>): Promise<void> {
  const found = await world.connection
    .selectFrom('identities')
    .select('id')
    .where('email', '=', toEmail(world, email))
    .execute();
  const resolved = found.map(({ id }) => ({ id, accountId: toId(person) }));
  await inTransaction(world.connection, (transaction) => saveResolved(transaction, resolved, at));
}

async function changeTeam({ world, toId, at }: ChangeContext, { people: members }: ChangeOf<'team'>): Promise<void> {
  await inTransaction(world.connection, async (transaction) => {
    const { provider } = await transaction
      .selectFrom('accounts')
      .select('provider')
      .where('id', '=', world.ownerId)
      .executeTakeFirstOrThrow();
    const team = { ownerId: world.ownerId, name: `${provider}/acme/core`, provider };
    const ids = members.flatMap((index) => toId(index) ?? []);
    if (await saveTeam(transaction, team, ids, at)) await requestBoardsWithTeam(transaction, team.name);
  });
}

async function erase({ world, toId, at }: ChangeContext, { person }: ChangeOf<'erase'>): Promise<void> {
  const id = toId(person);
  if (id === null) return;
  await inTransaction(world.connection, async (transaction) => {
    await takeErasureLock(transaction);
    await emptyAccount(transaction, id, at);
    await releaseAddresses(transaction, id, 1);
  });
  await eraseRest(world.connection, at);
}
