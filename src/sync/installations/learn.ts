import type { Task } from '../../database/queue.ts';
import { findUsable } from '../../installations/store.ts';
import type { SyncContext } from '../context.ts';

/** Tells providers which installations there are, as the database has them. */
export async function learnInstallations({
  connection,
  providers,
}: Pick<SyncContext, 'connection' | 'providers'>): Promise<void> {
  for (const [name, provider] of providers) provider.app?.use(await findUsable(connection, name));
}

/**
 * Jobs that begin with it: what another node has just learnt must be known before anything is asked, for what no known
 * credential shows would be taken as gone.
 */
export function withInstallations(context: SyncContext, tasks: Record<string, Task>): Record<string, Task> {
  if ([...context.providers.values()].every(({ app }) => app === undefined)) return tasks;
  return Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [
      name,
      {
        ...task,
        run: async (payload, signal) => {
          await learnInstallations(context);
          await task.run(payload, signal);
        },
      },
    ]),
  );
}
