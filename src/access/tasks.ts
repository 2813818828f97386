import type { Connection } from '../database/connection.ts';
import { forgetCounts } from '../database/counts.ts';
import type { Task } from '../database/queue.ts';
import { forgetAudit } from './audit/store.ts';
import type { SigningKey } from './tokens/signing-key.ts';
import { tendSigningKeys } from './tokens/signing-key-store.ts';
import { forgetRevocations } from './tokens/store.ts';

const auditKeptMs = 2 * 365 * 86_400_000;

/** Creates the periodic tasks for keys and tokens, which any node runs. */
export function createAccessTasks(context: {
  connection: Connection;
  now: () => Date;
  newSigningKey: () => Promise<SigningKey>;
}): Record<string, Task> {
  const { connection, now, newSigningKey } = context;
  return {
    tend_keys: {
      urgency: 'background',
      schedule: '*/10 * * * *',
      run: async () => {
        await tendSigningKeys(connection, now(), newSigningKey);
        await forgetRevocations(connection, now());
        await forgetCounts(connection, now());
        await forgetAudit(connection, new Date(now().getTime() - auditKeptMs));
      },
    },
  };
}
