import type { Account } from '../../accounts/store.ts';
import type { Connection } from '../../database/connection.ts';
import { AppError } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { countAttempt } from '../../http/rate-limits.ts';
import type { Call } from '../../providers/provider.ts';
import { findIssuedTo } from '../audit/store.ts';
import { findKey } from '../keys/store.ts';
import type { AccessServices } from '../services.ts';
import { checkAdministrator } from './check.ts';
import { uncheckedForMs } from './holding.ts';
import type { Person } from './store.ts';

const checkTimeoutMs = 5000;

/** The holder of a key or link that a caller registers, and its latest end. */
export interface Holder {
  /** Null: not known. */
  person: Person | null;
  /** The time at which the key or link ends at the latest, because the caller's own right ends then; null: none. */
  until: Date | null;
}

/**
 * Finds the person behind a caller: the person who signed in, the holder of the key that signed the token, or the
 * person to whom the token was issued. The person is not known for keys and tokens from before holders were stored.
 */
export async function findHolder(
  connection: Connection,
  account: Account,
  { keyId, tokenId, person: signedIn }: Pick<Caller, 'keyId' | 'tokenId' | 'person'>,
  now: Date,
): Promise<Holder> {
  if (account.type !== 'organization') {
    return { person: { id: account.externalId, name: `${account.provider}/${account.name}` }, until: null };
  }
  if (signedIn !== undefined) return { person: signedIn, until: null };
  const unknownUntil = new Date(now.getTime() + uncheckedForMs);
  if (keyId !== null) {
    const key = await findKey(connection, account.id, keyId);
    const { holder = null, holderName, endsAt = null } = key?.holding ?? {};
    return holder === null
      ? { person: null, until: endsAt ?? unknownUntil }
      : { person: { id: holder, name: holderName ?? '' }, until: null };
  }
  const issued = tokenId === null ? undefined : await findIssuedTo(connection, account.id, tokenId);
  return issued?.person ? { person: issued.person, until: null } : { person: null, until: unknownUntil };
}

/**
 * Has the host confirm that the person behind a caller still administers the organization, before a request with wide
 * effects, such as an export or erasure. Without a usable response of the host, the last confirmation counts.
 * @throws AppError `forbidden` when the host says that the person does not; `rate_limited`, because each call costs
 * requests to the host.
 */
export async function confirmCaller(
  services: Pick<AccessServices, 'connection' | 'now' | 'providers' | 'newId' | 'onCheckFailure' | 'counts'>,
  account: Account,
  caller: Caller,
): Promise<void> {
  if (account.type !== 'organization') return;
  const { connection, now } = services;
  const { person } = await findHolder(connection, account, caller, now());
  if (person === null) return;
  const { id: accountId, provider, externalId, name } = account;
  await countAttempt(services.counts, { provider, name });
  const call: Call = {
    urgency: 'interactive',
    signal: AbortSignal.timeout(checkTimeoutMs),
    cost: { requests: 0, points: 0 },
  };
  const result = await checkAdministrator(
    { ...services, onFailure: services.onCheckFailure },
    { accountId, provider, organization: { externalId, name }, person: person.id },
    call,
  );
  if (result === 'no') {
    throw new AppError('forbidden', `${person.name} no longer administers this account, says the code host.`);
  }
}
