import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { collectRepositoryJob } from '../../../contributions/items/jobs.ts';
import { inBatches } from '../../../database/connections/in-batches.ts';
import { addJob } from '../../../database/queue/added-jobs.ts';
import type { Task } from '../../../database/queue/queue.ts';
import { type AwardContext, awardRepository } from './award.ts';
import { addAwardJob, findUnknownAtDate, queueNextOfAddresses, requestAllAwards } from './jobs-store.ts';
import { settlingMs } from './plan.ts';

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
