import { type Static, Type } from 'typebox';
import type { Job } from '../database/queue.ts';

/** What a job about one installation is told. */
export const InstallationReference = Type.Object({ provider: Type.String(), installation: Type.String() });
export type InstallationReference = Static<typeof InstallationReference>;

/** Asks providers which installations there are, and follows what changed. */
export const reconcileJob: Job = {
  task: 'reconcile_installations',
  payload: {},
  key: 'reconcile_installations',
  priority: 5,
};

/** Learns who installed the service and what they own, without anybody asking. */
export function welcomeJob({ provider, installation }: InstallationReference): Job {
  const key = `welcome ${provider}/${installation}`;
  return { task: 'welcome', payload: { provider, installation }, key, priority: 10 };
}
