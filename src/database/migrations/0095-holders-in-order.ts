import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Lets the people who hold an achievement be listed page by page, and its newest award be found, without reading all awards. */
export const parts: readonly Part[] = [
  {
    concurrently: {
      name: 'awards_of_achievement',
      on: sql`awards (achievement_id, awarded_at desc, id desc) where revoked_at is null`,
    },
  },
];
