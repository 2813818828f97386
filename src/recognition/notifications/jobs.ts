import { Type } from 'typebox';
import type { Job } from '../../database/queue/added-jobs.ts';

export const ReceiverReference = Type.Object({ receiver: Type.String() });

/** Returns the job that sends a receiver its waiting messages. */
export function notifyJob(receiver: string): Job {
  return { task: 'notify', payload: { receiver }, key: `notify ${receiver}`, priority: 20 };
}
