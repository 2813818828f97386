import type { Connection } from '../../../database/connections/connection.ts';
import type { Task } from '../../../database/queue/queue.ts';
import { deleteSigners } from '../../signing/key-store.ts';

/** Creates the task that deletes private keys whose time to sign has ended. */
export function createCredentialTasks({
  connection,
  now,
}: {
  connection: Connection;
  now: () => Date;
}): Record<string, Task> {
  return {
    delete_credential_signers: {
      urgency: 'background',
      schedule: '41 * * * *',
      run: () => deleteSigners(connection, now()),
    },
  };
}
