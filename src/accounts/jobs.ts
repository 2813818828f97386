import { type Static, Type } from 'typebox';
import type { Job } from '../database/queue/added-jobs.ts';
import type { Call } from '../hosts/interface/provider.ts';
import { nameKey } from '../model/account.ts';

/** A name to look up on a provider. */
export const NameOnProvider = Type.Object({ provider: Type.String(), name: Type.String() });
export type NameOnProvider = Static<typeof NameOnProvider>;

/** The payload of a job about a stored account. */
export const AccountReference = Type.Object({ accountId: Type.String() });
export type AccountReference = Static<typeof AccountReference>;

/** Returns a job whose requests to the provider have this urgency; without it they are background requests. */
export function withUrgency(job: Job, urgency: Call['urgency']): Job {
  return { ...job, payload: { ...job.payload, urgency } };
}

/** Returns a lookup of a name that may not exist. An image that starts it counts against its network until the name is found. */
export function withUnknownName(job: Job): Job {
  return { ...job, payload: { ...job.payload, isUnknown: true } };
}

/**
 * Returns the job that looks up a name that is not stored. It runs before all others, because a caller waits for it.
 */
export function lookUpJob({ provider, name }: NameOnProvider): Job {
  return { task: 'look_up', payload: { provider, name }, key: `look_up ${provider}/${nameKey(name)}`, priority: 0 };
}

/** A person, by the immutable id of the person's own account at a provider. */
export const PersonOnProvider = Type.Object({ provider: Type.String(), person: Type.String() });
export type PersonOnProvider = Static<typeof PersonOnProvider>;

/** Returns the job that checks whether a person still administers the organizations that the person acts for. */
export function checkAdministratorJob({ provider, person }: PersonOnProvider): Job {
  const key = `check_administrator ${provider}/${person}`;
  return { task: 'check_administrator', payload: { provider, person }, key, priority: 10 };
}

/** Returns the job that checks which private repositories an account with awards from them may see. */
export function checkAccessJob(accountId: string): Job {
  return { task: 'check_access', payload: { accountId }, key: `check_access ${accountId}`, priority: 10 };
}

/** Returns the job that fetches a stored account again. */
export function refreshJob(accountId: string): Job {
  return { task: 'refresh', payload: { accountId }, key: `refresh ${accountId}`, priority: 10 };
}

/** The accounts that callers have just named, as text, because payloads have no lists. */
export const NamedAccounts = Type.Object({ ids: Type.Optional(Type.String()) });

/** The time, in ms, for which no further check is made whether the host shows an account that callers name. */
export const namedHoldsMs = 60_000;

/** Returns the job that checks whether their hosts still show accounts that callers have just named. */
export function checkNamedJob(accountIds: readonly string[]): Job {
  const ids = accountIds.join(' ');
  return { task: 'check_accounts', payload: { ids }, key: `check_accounts ${accountIds[0] ?? ''}`, priority: 10 };
}
