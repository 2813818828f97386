import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Indexes that find the next message to a receiver, and the messages whose time is over, among very many that wait. */
export const parts: readonly Part[] = [
  {
    concurrently: {
      name: 'notifications_in_order',
      on: sql`notifications (receiver, attempts, next_attempt_at, id) where state = 'waiting'`,
    },
  },
  {
    concurrently: {
      name: 'notifications_overdue',
      on: sql`notifications (receiver, give_up_at, id) where state = 'waiting'`,
    },
  },
];
