import { Type } from 'typebox';
import type { Connection } from '../../../database/connections/connection.ts';
import { addJob } from '../../../database/queue/added-jobs.ts';
import type { Call } from '../../../hosts/interface/provider.ts';
import type { Caller } from '../../../http/pipeline/caller.ts';
import type { Confirmation } from '../../../http/pipeline/endpoint.ts';
import { formatTimestamp, OptionalTimestampSchema } from '../../../http/pipeline/envelope.ts';
import { countAttempt } from '../../../http/pipeline/rate-limits.ts';
import type { Account } from '../../../model/account.ts';
import { AppError } from '../../../model/errors.ts';
import { checkAdministratorJob } from '../../jobs.ts';
import { findIssuedTo } from '../audit/store.ts';
import { findKey } from '../keys/store.ts';
import type { AccessServices } from '../services.ts';
import { checkAdministrator } from './check.ts';
import { assessHolding, type Holding, holdingStates, recentForMs, uncheckedForMs } from './holding.ts';
import { findConfirmation, type Person } from './store.ts';

/** The fields by which lists of keys and links show the holder. */
export const holderFields = {
  registered_by: Type.Union([Type.Null(), Type.String()], {
    description: 'The holder, `PROVIDER/NAME` at the registration; null: not known.',
  }),
  confirmed_dttm: OptionalTimestampSchema(
    'When the code host last confirmed that the holder administers the account; null: nothing has to be confirmed.',
  ),
  state: Type.Enum([...holdingStates], {
    description:
      '`suspended`: the code host has not confirmed the holder for 7 days; it works again with the next confirmation. ' +
      '`ended`: for good, unless an administrator renews it.',
  }),
  ends_dttm: OptionalTimestampSchema('When it ends unless it is renewed, or when it ended; null: it has no such time.'),
};

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
 * Confirms that the person behind a caller may still act for the organization, before a request of an owner.
 * `if doubtful`: the daily check of the host or a recent proof suffices. `live`: the host is called for each request.
 * Without a usable response of the host, the last confirmation counts. Where no credential of the service can check the
 * person, or the person is not known, only a recent proof counts.
 * @throws AppError `forbidden`; `rate_limited`, because each call costs requests to the host.
 */
export async function confirmOwner(
  services: Pick<AccessServices, 'connection' | 'now' | 'providers' | 'newId' | 'onCheckFailure' | 'counts'>,
  { account, caller }: { account: Account; caller: Caller },
  confirmation: Confirmation,
): Promise<void> {
  if (account.type !== 'organization') return;
  const { connection, now } = services;
  const { person } = await findHolder(connection, account, caller, now());
  if (person === null) throw needsProof('the person behind this token');
  const { id: accountId, provider, externalId, name } = account;
  const known = await findConfirmation(connection, accountId, person.id);
  const isRecent = known !== undefined && known.confirmedAt.getTime() > now().getTime() - recentForMs;
  if (confirmation === 'if doubtful' && (isRecent || known?.canCheck === true)) return;
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
  const isUnchecked = result === 'cannot_check' || (result === 'unavailable' && known?.canCheck === false);
  if (isUnchecked && !isRecent) throw needsProof(person.name);
}

function needsProof(person: string): AppError {
  return new AppError(
    'forbidden',
    `Nothing can check whether ${person} still administers this account, so that changes and exports need a proof of ` +
      'the last hour. Sign in again, or request a new token with one of the code host (GET .../token), and repeat this.',
  );
}

export function presentHolder(holding: Holding, now: Date): object {
  const { state, endsAt } = assessHolding(holding, now);
  const confirmedAt = holding.confirmation?.confirmedAt;
  return {
    registered_by: holding.holderName,
    confirmed_dttm: confirmedAt === undefined ? null : formatTimestamp(confirmedAt),
    state,
    ends_dttm: endsAt && formatTimestamp(endsAt),
  };
}

/** Queues a check of the holder of a new key or link, so that the owner soon sees whether the service can check. */
export async function requestCheck(
  transaction: Connection,
  { type, provider }: Account,
  person: Person | null,
): Promise<void> {
  if (type !== 'organization' || person === null) return;
  await addJob(transaction, checkAdministratorJob({ provider, person: person.id }));
}
