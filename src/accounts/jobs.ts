import { type Static, Type } from 'typebox';
import type { Job } from '../database/queue.ts';
import { nameKey } from './account.ts';

/** A name that the provider is asked for. */
export const NameOnProvider = Type.Object({ provider: Type.String(), name: Type.String() });
export type NameOnProvider = Static<typeof NameOnProvider>;

/** What a job about a stored account is told. */
export const AccountReference = Type.Object({ accountId: Type.String() });
export type AccountReference = Static<typeof AccountReference>;

/** Asks the provider for a name that is not stored; somebody waits. */
export function lookUpJob({ provider, name }: NameOnProvider): Job {
  return { task: 'look_up', payload: { provider, name }, key: `look_up ${provider}/${nameKey(name)}`, priority: 0 };
}

/** Asks the provider anew for a stored account. */
export function refreshJob(accountId: string): Job {
  return { task: 'refresh', payload: { accountId }, key: `refresh ${accountId}`, priority: 10 };
}
