import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Sessions of people who signed in on the pages, and sign-ins that have begun. */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`
        create table sessions (
          secret_hash bytea primary key,
          account_id uuid not null references accounts on delete cascade,
          created_at timestamptz not null,
          expires_at timestamptz not null
        )`,
      sql`create index sessions_account on sessions (account_id)`,
      sql`create index sessions_end on sessions (expires_at)`,
      sql`
        create table sign_ins (
          state_hash bytea primary key,
          provider text not null,
          nonce text not null,
          code_verifier text not null,
          return_to text not null,
          organization text,
          expires_at timestamptz not null
        )`,
      sql`create index sign_ins_end on sign_ins (expires_at)`,
    ],
  },
];
