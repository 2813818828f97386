import { findUsable } from '../../accounts/installations/store.ts';
import type { Task } from '../../database/queue/queue.ts';
import type { SyncContext } from '../context.ts';

/** Gives providers the installations that the database has. */
export async function loadInstallations({
  connection,
  providers,
}: Pick<SyncContext, 'connection' | 'providers'>): Promise<void> {
  for (const [name, provider] of providers) provider.app?.use(await findUsable(connection, name));
}

/**
 * Returns tasks that load the installations before they request anything. Another node may have stored a new one, and a
 * repository that no known credential shows would be taken as absent.
 */
export function withInstallations(context: SyncContext, tasks: Record<string, Task>): Record<string, Task> {
  if ([...context.providers.values()].every(({ app }) => app === undefined)) return tasks;
  return Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [
      name,
      {
        ...task,
        run: async (payload, signal) => {
          await loadInstallations(context);
          await task.run(payload, signal);
        },
      },
    ]),
  );
}
