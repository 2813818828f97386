import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { collectRepositoryJob } from '../../contributions/items/jobs.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { inBatches } from '../../database/connections/transaction.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import type { Task } from '../../database/queue/queue.ts';
import type { AppError } from '../../model/errors.ts';
import { type CheckedKind, type FileCheckContext, FileChecks, findCheckedFile } from '../rules/file/check-store.ts';
import { deleteSigners } from '../signing/key-store.ts';
import { type AwardContext, awardRepository, settlingMs } from './awards/award.ts';
import { addAwardJob, findUnknownAtDate, queueNextOfAddresses, requestAllAwards } from './awards/jobs-store.ts';

const achievementsFile: CheckedKind = {
  find: findCheckedFile,
  name: 'Plaudit achievements',
  id: 'plaudit',
  effect: 'An achievement with an error is not awarded; the others are.',
};

/** The maximum number of rounds in one job, so that one repository does not keep the others waiting. */
const maxRounds = 20;

const OneRepository = Type.Object({ repositoryId: Type.String() });

/** Creates the jobs that evaluate and award achievements. */
export function createAwardTasks(context: AwardContext): Record<string, Task> {
  const { connection, now } = context;
  return {
    award: {
      urgency: 'background',
      run: async (payload) => {
        const { repositoryId } = Value.Parse(OneRepository, payload);
        for (let round = 0; round < maxRounds; round += 1) {
          if ((await awardRepository(context, repositoryId)) === 'done') return;
        }
        await addAwardJob(connection, repositoryId);
      },
    },
    award_due: {
      urgency: 'background',
      schedule: '* * * * *',
      run: async () => {
        await inBatches(() => queueNextOfAddresses(connection));
        await requestAllAwards(connection, now());
      },
    },
    know_at_date: {
      urgency: 'background',
      schedule: '*/10 * * * *',
      run: async () => {
        const dueBefore = new Date(now().getTime() - settlingMs);
        for (const { ownerId, name } of await findUnknownAtDate(connection, { dueBefore, settlingMs })) {
          await addJob(connection, collectRepositoryJob({ accountId: ownerId, repository: name, withPrivate: true }));
        }
      },
    },
  };
}

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

/** Creates the job that reports the faults of a changed file to its author. */
export function createFileTasks(context: FileCheckContext, onRefused: (error: AppError) => void): Record<string, Task> {
  const checks = new FileChecks(context, achievementsFile, onRefused);
  return {
    check_file: {
      urgency: 'background',
      run: (payload, signal) => checks.report(Value.Parse(OneRepository, payload).repositoryId, signal),
    },
  };
}
