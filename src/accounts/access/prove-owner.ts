import { inTransaction } from '../../database/connections/transaction.ts';
import type { OwnershipProof, Provider } from '../../hosts/interface/provider.ts';
import { countAttempt } from '../../http/pipeline/rate-limits.ts';
import type { Account } from '../../model/account.ts';
import { AppError } from '../../model/errors.ts';
import { lookUpJob, refreshJob, withUrgency } from '../jobs.ts';
import { requestRescanOfErased, saveOwned } from '../ownership-store.ts';
import { findByName } from '../store.ts';
import { releaseOptOuts } from '../visibility/opt-out-store.ts';
import { confirmAdministrator, type Person, resumeHoldings } from './administrators/store.ts';
import type { Actor } from './audit/store.ts';
import type { AccessServices } from './services.ts';

const proofTimeoutMs = 5000;

/** An account with a proof of ownership, and the actor who gave the proof. */
export interface Proven extends Actor {
  account: Account;
  /** The person who gave the proof. */
  person: Person;
}

/**
 * Has the provider confirm that the bearer of its token owns an account or administers the organization, and stores the
 * account if it is new. The token is sent only to that provider, and not stored.
 * @throws AppError `forbidden` where the provider offers no proofs, and, with the same message, when there is no such
 * account and when the bearer does not own it; `unauthenticated` when the provider does not accept the token;
 * `rate_limited` after too many attempts; a provider's error when the provider cannot decide.
 */
export async function proveOwner(
  services: AccessServices,
  claimed: { provider: Provider; name: string },
  token: string,
): Promise<Proven> {
  const { provider, name } = claimed;
  await countAttempt(services.counts, { provider: provider.name, name });
  if (provider.ownership === undefined) {
    throw new AppError(
      'forbidden',
      'This provider offers no proof of ownership, so no client can act as an owner there.',
    );
  }
  const proof = await provider.ownership.prove(token, name, AbortSignal.timeout(proofTimeoutMs));
  const owned = proof.owned ?? (await formerlyNamed(services, claimed, proof));
  if (owned === undefined) {
    throw new AppError(
      'forbidden',
      'The bearer of this token is not the user of this name, and is not known as an active administrator of an ' +
        'organization of this name (for that the token must be allowed to read the organization: `read:org` at GitHub, ' +
        '`read_api` at GitLab).',
    );
  }
  const now = services.now();
  const person = { id: proof.bearer.externalId, name: `${provider.name}/${proof.bearer.name}` };
  const account = await inTransaction(services.connection, async (transaction) => {
    if (await releaseOptOuts(transaction, provider.name, owned)) {
      await requestRescanOfErased(transaction, provider.name, now);
    }
    const saved = await saveOwned(transaction, provider.name, owned, { now, newId: services.newId });
    if (saved.type === 'organization') {
      await confirmAdministrator(transaction, saved.id, person, now);
      const resumed = { accountId: saved.id, person: person.id };
      await resumeHoldings(transaction, resumed, { now, newId: services.newId });
    }
    return saved;
  });
  if (account.fetchedAt === null) {
    services.resolver.requestInBackground(withUrgency(lookUpJob({ provider: provider.name, name }), 'owner'));
  } else if (account.displayName === '') services.resolver.requestInBackground(refreshJob(account.id));
  return { account, person, actor: person.name, tokenId: null };
}

/** Returns the bearer's own account when `name` is a former name of it that no other account has taken. */
async function formerlyNamed(
  { connection }: AccessServices,
  { provider, name }: { provider: Provider; name: string },
  { bearer }: OwnershipProof,
): Promise<Account | undefined> {
  const holder = await findByName(connection, provider.name, name);
  const account = holder?.state === 'renamed' ? holder.account : undefined;
  if (account?.type !== 'user' || account.externalId !== bearer.externalId) return undefined;
  return { ...account, name: bearer.name };
}
