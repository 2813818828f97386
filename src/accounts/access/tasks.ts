import { Value } from 'typebox/value';
import { deleteCounts } from '../../database/connections/counts.ts';
import { inBatches } from '../../database/connections/transaction.ts';
import type { Task } from '../../database/queue/queue.ts';
import { PersonOnProvider } from '../jobs.ts';
import { type CheckContext, checkAdministrations, checkDueAdministrators } from './administrators/check.ts';
import { deleteAudit } from './audit/store.ts';
import { deleteExpired } from './sessions/store.ts';
import { type NewSigningKey, tendSigningKeys } from './tokens/signing-key-store.ts';
import { deleteRevocations } from './tokens/store.ts';

/** The most rows that one statement deletes. */
const atOnce = 5000;
const auditKeptMs = 2 * 365 * 86_400_000;

/** Creates the tasks for keys, tokens and administrators, which any node runs. */
export function createAccessTasks(context: CheckContext & { newSigningKey: NewSigningKey }): Record<string, Task> {
  const { connection, now, newSigningKey } = context;
  return {
    tend_keys: {
      urgency: 'background',
      schedule: '*/10 * * * *',
      run: async () => {
        await tendSigningKeys(connection, now(), newSigningKey);
        const [time, auditBefore] = [now(), new Date(now().getTime() - auditKeptMs)];
        // The rows that are left after the last batch wait for the next run.
        await inBatches(() => deleteRevocations(connection, time, atOnce));
        await inBatches(() => deleteExpired(connection, 'sessions', time, atOnce));
        await inBatches(() => deleteExpired(connection, 'sign_ins', time, atOnce));
        await inBatches(() => deleteCounts(connection, time, atOnce));
        await inBatches(() => deleteAudit(connection, auditBefore, atOnce));
      },
    },
    check_administrators: {
      urgency: 'background',
      schedule: '23 * * * *',
      run: (_payload, signal) => checkDueAdministrators(context, signal),
    },
    check_administrator: {
      urgency: 'interactive',
      run: (payload, signal) => checkAdministrations(context, Value.Parse(PersonOnProvider, payload), signal),
    },
  };
}
