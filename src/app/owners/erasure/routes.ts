import type { AccessServices } from '../../../accounts/access/services.ts';
import { removeErasedRows } from '../../../contributions/items/erase-store.ts';
import { cleanUpJob } from '../../../contributions/items/jobs.ts';
import { inBatches, inTransaction } from '../../../database/connections/transaction.ts';
import { addJob } from '../../../database/queue/added-jobs.ts';
import { AccountPath } from '../../../http/pipeline/endpoint.ts';
import { addOwnerEndpoint } from '../../../http/pipeline/owner-pipeline.ts';
import type { App } from '../../../http/server/app.ts';
import { eraseNext } from './erase.ts';
import { beginErasure } from './store.ts';

/** The most steps of the erasure while its owner waits; a job takes all others. */
const stepsAtOnce = 30;
/** The most rows of the account's repositories that are removed while its owner waits. */
const removedAtOnce = 20_000;

/** Adds the erasure of an account by its owner. */
export function erasureRoutes(app: App, services: AccessServices): void {
  const { connection, now } = services;
  addOwnerEndpoint(app, services, {
    method: 'DELETE',
    path: '/v1/:provider/entities/:name',
    operationId: 'eraseAccount',
    tag: 'Owners',
    summary: 'Erases everything about the account; it is not looked up again until its owner requests a token',
    needs: 'manage',
    confirmation: 'live',
    params: AccountPath,
    load: async ({ account }) => {
      await inTransaction(connection, (transaction) => beginErasure(transaction, account, now()));
      // If this process is killed here, the next scheduled run of the job removes the rest.
      const ends = [
        await inBatches(() => eraseNext(connection, now()), stepsAtOnce),
        await removeErasedRows(connection, removedAtOnce),
      ];
      if (ends.includes('more')) await addJob(connection, cleanUpJob);
    },
  });
}
