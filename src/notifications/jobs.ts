import { Type } from 'typebox';
import type { Job } from '../database/queue.ts';

export const ReceiverReference = Type.Object({ receiver: Type.String() });

/** Tells one receiver what is waiting for it. */
export function notifyJob(receiver: string): Job {
  return { task: 'notify', payload: { receiver }, key: `notify ${receiver}`, priority: 20 };
}
