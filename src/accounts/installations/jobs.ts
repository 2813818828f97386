import { type Static, Type } from 'typebox';
import type { Job } from '../../database/queue/added-jobs.ts';

/** The payload of a job about one installation. */
export const InstallationReference = Type.Object({ provider: Type.String(), installation: Type.String() });
export type InstallationReference = Static<typeof InstallationReference>;

/** Fetches the installations from providers and applies their changes. */
export const reconcileJob: Job = {
  task: 'reconcile_installations',
  payload: {},
  key: 'reconcile_installations',
  priority: 5,
};

/** Fetches an account that installed the service, and its repositories, before a client requests them. */
export function welcomeJob({ provider, installation }: InstallationReference): Job {
  const key = `welcome ${provider}/${installation}`;
  return { task: 'welcome', payload: { provider, installation }, key, priority: 10 };
}
