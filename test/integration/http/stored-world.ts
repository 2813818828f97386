import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { toCounters } from '../../../simulators/world/expected-totals.ts';
import type { Account, Repository } from '../../../simulators/world/model.ts';
import type { World } from '../../../simulators/world/world.ts';
import { lookUpJob } from '../../../src/accounts/jobs.ts';
import { markCollected, saveListedRepositories } from '../../../src/accounts/repositories/store.ts';
import { findByName, saveAccount } from '../../../src/accounts/store.ts';
import { type CommitRecord, saveAllCommits } from '../../../src/contributions/items/commit-store.ts';
import { saveContributions } from '../../../src/contributions/items/contribution-store.ts';
import { collectRepositoryJob } from '../../../src/contributions/items/jobs.ts';
import { saveCounters } from '../../../src/contributions/totals/counter-store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { failLookup } from '../../../src/database/queue/lookups.ts';
import type { AccountFacts } from '../../../src/model/account.ts';
import type { Contribution, ItemKind } from '../../../src/model/contribution.ts';

/**
 * Stores a simulated world as a complete synchronization leaves it, with accounts, counters, repositories and
 * contributions, without any request to a host. Nothing is due for a refresh at `now`.
 */
export async function storeWorld(connection: Connection, world: World, now: Date): Promise<void> {
  const accounts = world.accounts.filter(({ type, isDeleted }) => type !== 'Mannequin' && !isDeleted);
  const ids = new Map<string, string>();
  for (const account of accounts) {
    const report = { provider: 'github', facts: toFacts(account), memory: null, fetchedAt: now, newId: uuidv7() };
    const { id } = await saveAccount(connection, report);
    ids.set(String(account.id), id);
  }
  for (const account of accounts) {
    const accountId = ids.get(String(account.id)) ?? '';
    const owned = world.owned(account);
    const listed = await saveListedRepositories(connection, {
      provider: 'github',
      ownerId: accountId,
      repositories: owned.map((repository) => repositoryFacts(world, repository)),
      listedAt: now,
      newId: uuidv7,
    });
    for (const repository of owned) {
      const repositoryId = listed.ids.get(String(repository.id)) ?? '';
      await storeContributions(connection, { world, repository, repositoryId, accountIds: ids, now });
    }
    await sql`update accounts set listed_at = ${now} where id = ${accountId}`.execute(connection);
    await saveCounters(connection, accountId, {
      counters: toCounters(world, account.login),
      missing: [],
      fetchedAt: now,
    });
  }
}

/** Stores that lookups of names found nothing, as of a time. */
export async function storeAbsent(connection: Connection, names: readonly string[], now = new Date()): Promise<void> {
  const until = new Date(now.getTime() + 3_600_000);
  for (const name of names) {
    await failLookup(connection, lookUpJob({ provider: 'github', name }).key, { state: 'absent' }, until);
  }
}

/** Stores that lookups of public repositories of an account found nothing, as of a time. */
export async function storeAbsentRepositories(
  connection: Connection,
  owner: string,
  names: readonly string[],
  now = new Date(),
): Promise<void> {
  const holder = await findByName(connection, 'github', owner);
  if (holder === undefined) throw new Error(`${owner} is not stored`);
  const until = new Date(now.getTime() + 3_600_000);
  for (const repository of names) {
    const job = collectRepositoryJob({ accountId: holder.account.id, repository, withPrivate: false });
    await failLookup(connection, job.key, { state: 'absent' }, until);
  }
}

function toFacts({ id, nodeId, type, login, name, bio, followers, following }: Account): AccountFacts {
  return {
    externalId: String(id),
    handle: nodeId,
    type: type === 'Organization' ? 'organization' : type === 'Bot' ? 'bot' : 'user',
    name: login,
    displayName: name ?? '',
    avatarUrl: '',
    website: '',
    description: bio ?? '',
    socials: [],
    followers,
    following,
  };
}

function repositoryFacts(world: World, repository: Repository) {
  const { id, nodeId, name, visibility } = repository;
  const isPrivate = visibility !== 'public';
  return {
    externalId: String(id),
    handle: nodeId,
    name,
    description: repository.description ?? '',
    language: repository.language ?? '',
    license: repository.license?.name ?? '',
    defaultBranch: repository.commits.length > 0 ? repository.defaultBranch : '',
    isPrivate,
    credentialName: isPrivate ? 'a stored credential' : null,
    isFork: repository.isFork,
    stars: world.starsOf(repository).length,
    forks: repository.forkCount,
    openIssues: [...repository.issues, ...repository.pullRequests].filter(({ closedAt }) => closedAt === null).length,
    sizeKib: repository.sizeKib,
  };
}

interface Storing {
  world: World;
  repository: Repository;
  repositoryId: string;
  accountIds: ReadonlyMap<string, string>;
  now: Date;
}

async function storeContributions(connection: Connection, storing: Storing): Promise<void> {
  const { repository, repositoryId, accountIds, now } = storing;
  const contributions = listContributions(repository);
  await inTransaction(connection, (transaction) =>
    saveContributions(transaction, { repositoryId, contributions, accountIds, wholeParents: [], seenAt: now }),
  );
  if (!repository.isFork) await storeCommits(connection, storing);
  await sql`
    insert into streams (repository_id, name, covers, completed_at, known_until)
    values (${repositoryId}, 'commits', '{commit}', ${now}, ${now}), (${repositoryId}, 'issues', '{issue}', ${now}, ${now}),
      (${repositoryId}, 'others', '{pull_request,review,discussion}', ${now}, ${now})`.execute(connection);
  await inTransaction(connection, (transaction) => recountRepository(transaction, repositoryId));
  await markCollected(connection, repositoryId, now);
}

interface Written {
  id: number;
  authorId: number;
  createdAt: Date;
  updatedAt: Date;
  number?: number;
  title?: string;
}

function toContribution(kind: ItemKind, item: Written, facts: Partial<Contribution> = {}): Contribution {
  const { number, title = '' } = item;
  return {
    ...(number !== undefined && { heading: { number, title } }),
    kind,
    externalId: String(item.id),
    parentExternalId: null,
    author: String(item.authorId),
    createdAt: item.createdAt,
    updatedAt: item.updatedAt,
    closedAt: null,
    mergedAt: null,
    answered: false,
    answeredBy: null,
    details: null,
    ...facts,
  };
}

function listContributions({ issues, pullRequests, discussions }: Repository): Contribution[] {
  const reviews = pullRequests.flatMap(({ id, reviews: ofPull }) =>
    ofPull.flatMap((review) =>
      review.submittedAt === null
        ? []
        : [toContribution('review', review, { createdAt: review.submittedAt, parentExternalId: String(id) })],
    ),
  );
  return [
    ...issues.map((issue) => toContribution('issue', issue, { closedAt: issue.closedAt })),
    ...pullRequests.map((pullRequest) =>
      toContribution('pull_request', pullRequest, { closedAt: pullRequest.closedAt, mergedAt: pullRequest.mergedAt }),
    ),
    ...reviews,
    ...discussions.map((discussion) => {
      const answer = discussion.comments.find(({ id }) => id === discussion.answerId);
      const answeredBy = answer === undefined ? null : String(answer.authorId);
      return toContribution('discussion', discussion, { answered: answer !== undefined, answeredBy });
    }),
  ];
}

async function storeCommits(connection: Connection, { world, repository, repositoryId, accountIds, now }: Storing) {
  const listEmails = (people: readonly { email: string }[]) => [
    ...new Set(people.map(({ email }) => email.toLowerCase())),
  ];
  const records: CommitRecord[] = repository.commits.map((commit) => ({
    oid: commit.oid,
    authoredAt: commit.authoredAt,
    committedAt: commit.committedAt,
    emails: listEmails([commit.author, ...commit.coAuthors]),
    subject: commit.message.split('\n', 1).join(''),
  }));
  const batches = async function* () {
    yield records;
  };
  await saveAllCommits(connection, batches(), { provider: 'github', repositoryId, scanNumber: 1, isCounted: false });
  const emails = [...new Set(records.flatMap((record) => record.emails))];
  const owners = emails.map((email) => accountIds.get(String(world.accountByEmail(email)?.id)) ?? null);
  await sql`
    update identities i set account_id = owner, resolved_at = ${now}
    from unnest(${emails}::text[], ${owners}::uuid[]) as u (address, owner) where i.email = u.address`.execute(
    connection,
  );
}
