import { saveActors } from '../../accounts/actor-store.ts';
import {
  type DueAddress,
  findDueAddresses,
  findNamingCommits,
  keepAccounts,
  type NamingCommit,
  postponeAddresses,
  removeUnusedAddresses,
  saveResolved,
} from '../../contributions/items/identity-store.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { type CommitIdentity, type CommitOwners, requirePart } from '../../hosts/interface/provider.ts';
import type { SyncContext } from '../context.ts';
import type { Subject } from '../streams/subject.ts';

/** The most commits that are tried for an address: some may be lost at the host since they were stored. */
const commitsPerAddress = 3;
/** The most calls for retries in one read: most retries are in vain, and the rest of the repository waits for them. */
const retryCallsPerRead = 2;
/**
 * When a batch has this number of commit authors and none of them is found, the host shows nothing of the repository.
 */
const enoughLost = 3;

/** An address with the commits that the lookup names to the host, best first. */
interface Lookup extends DueAddress {
  commits: readonly NamingCommit[];
}

/**
 * Looks up the accounts of the addresses in a repository's stored commits. Each response is stored as it comes.
 * @returns `some` when the next read should go on at once.
 */
export async function resolveAddresses(context: SyncContext, subject: Subject): Promise<'none' | 'some'> {
  const { connection } = context;
  const { repository, provider } = subject;
  const { identitiesAtOnce } = requirePart(provider, 'history');
  const maxRetries = retryCallsPerRead * identitiesAtOnce;
  const { addresses, isMore } = await findDueAddresses(connection, repository.id, { now: context.now(), maxRetries });
  if (addresses.length === 0) return 'none';
  const ids = addresses.map(({ id }) => id);
  const commits = await findNamingCommits(connection, repository.id, ids, commitsPerAddress);
  const lookups = addresses.flatMap((address): Lookup[] => {
    const naming = commits.get(address.id);
    return naming === undefined ? [] : [{ ...address, commits: naming }];
  });
  const unused = ids.filter((id) => !commits.has(id));
  await removeUnusedAddresses(connection, repository.id, unused);
  let isLeft = isMore;
  for (let at = 0; at < lookups.length; at += identitiesAtOnce) {
    const batch = lookups.slice(at, at + identitiesAtOnce);
    const unknown = await resolveBatch(context, subject, batch);
    const lost = unknown.filter(({ commits: [first] }) => first?.isCoAuthor === false);
    // Git has just shown these commits. If the host does not, the branch was replaced meanwhile, and the next read has
    // the new commits.
    if (lost.some(({ isRetry }) => !isRetry)) isLeft = true;
    if (lost.length >= enoughLost && unknown.length === batch.length) return 'some';
  }
  return isLeft ? 'some' : 'none';
}

/** @returns the addresses that remain unknown; their next lookup is later. */
async function resolveBatch(context: SyncContext, subject: Subject, batch: readonly Lookup[]): Promise<Lookup[]> {
  const { repository, provider, known, call } = subject;
  let unknown = [...batch];
  for (let place = 0; place < commitsPerAddress; place += 1) {
    const identities = unknown.flatMap(({ email, commits }): CommitIdentity[] => {
      const commit = commits[place];
      return commit === undefined ? [] : [{ email, ...commit }];
    });
    if (identities.length === 0) break;
    const requestedAt = context.now();
    const owners = await requirePart(provider, 'history').resolveIdentities(known, identities, call);
    await saveOwners(context, subject, { lookups: unknown, place, owners, requestedAt });
    unknown = unknown.filter(({ email }) => !owners.has(email));
  }
  const [kept, open] = [true, false].map((hasAccount) =>
    unknown.flatMap(({ id, accountId }) => ((accountId !== null) === hasAccount ? [id] : [])),
  );
  await keepAccounts(context.connection, kept ?? [], context.now());
  await postponeAddresses(context.connection, repository.id, open ?? [], context.now());
  return unknown;
}

interface Answers {
  lookups: readonly Lookup[];
  /** The place of the commit that each lookup named to the host. */
  place: number;
  owners: CommitOwners;
  requestedAt: Date;
}

async function saveOwners(
  context: SyncContext,
  { repository }: Subject,
  // An account that was found to be hidden since the request stays hidden.
  { lookups, place, owners, requestedAt }: Answers,
): Promise<void> {
  const answered = lookups.flatMap((lookup) => {
    const owner = owners.get(lookup.email);
    return owner === undefined ? [] : [{ ...lookup, owner }];
  });
  if (answered.length === 0) return;
  const actors = new Map(answered.flatMap(({ owner }) => (owner === null ? [] : [[owner.externalId, owner]])));
  await inTransaction(context.connection, async (transaction) => {
    const accountIds = await saveActors(transaction, repository.provider, [...actors.values()], {
      mentionedAt: requestedAt,
      newId: context.newId,
    });
    // The host may not show a co-author who still has the name, such as a hidden person. The address stays due in other
    // repositories, where it may be an author's, of whom the host says more.
    const isKept = ({ owner, hasName, commits }: (typeof answered)[number]): boolean =>
      owner === null && hasName && commits[place]?.isCoAuthor === true;
    const kept = answered.filter(isKept).map(({ id }) => id);
    await postponeAddresses(transaction, repository.id, kept, context.now());
    const resolved = answered
      .filter((answer) => !isKept(answer))
      .map(({ id, owner, accountId: known }) => ({
        id,
        replacesFrom: known === null ? undefined : requestedAt,
        // Erased accounts are not stored, so their addresses get no account.
        accountId: owner === null ? null : (accountIds.get(owner.externalId) ?? null),
      }));
    await saveResolved(transaction, resolved, context.now());
  });
}
