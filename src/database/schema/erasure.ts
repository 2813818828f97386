import { type RawBuilder, sql } from 'kysely';
import { AppError } from '../../model/errors.ts';
import { toFields } from '../../model/fields.ts';
import type { Connection } from '../connections/connection.ts';
import { advisoryLocks } from './advisory-locks.ts';

/**
 * SQL for the ids of accounts that are being erased, which are few at any time. As an array it is read once in each statement
 * and leaves the plan as it is: with an anti join, a page of awards read all awards of the account.
 */
const accountsBeingErased = sql`array(select id from accounts where erased_at is not null)`;

/** SQL that is true for the rows of `awards` whose account is being erased. */
export const isOfErased = sql<boolean>`account_id = any(${accountsBeingErased})`;

const foreignKeyViolation = '23503';
/** The names of all foreign keys to accounts, which PostgreSQL forms from the columns. */
const keyToAccount = /_(?:account|owner)_id_fkey$/;

/** Returns the error of a request that stores something for an account that is erased meanwhile. */
export function erasedMeanwhile(): AppError {
  return new AppError('not_found', 'The account was erased meanwhile.', { explanations: [{ phrase: 'noAccount' }] });
}

/**
 * Returns whether a statement failed because it refers to an account that has been erased. Requests find their account
 * before they write, and nothing keeps an erasure from ending in between.
 */
export function refersToErased(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, constraint } = toFields(error);
  return code === foreignKeyViolation && typeof constraint === 'string' && keyToAccount.test(constraint);
}

/**
 * Takes the shared erasure lock until the transaction ends. Every transaction that stores a provider's data about
 * people must call this before it looks up opt-outs. An erasure waits for the transactions that hold the lock, and
 * later ones wait for the erasure, so that work under way does not store an erased account again.
 */
export async function takeSharedErasureLock(transaction: Connection): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${advisoryLocks.erasure})`.execute(transaction);
}

/**
 * Takes the exclusive erasure lock: waits for all holders of the shared lock, and keeps others out until the
 * transaction ends.
 */
export async function takeErasureLock(transaction: Connection): Promise<void> {
  await sql`select pg_advisory_xact_lock(${advisoryLocks.erasure})`.execute(transaction);
}

/**
 * Returns SQL for a table of all awards except those of accounts that are being erased: steps of the erasure delete these
 * rows, but no reader may show them from its beginning on. All readers of awards use it, or `allAwards`.
 */
export function keptAwards(alias: string): RawBuilder<unknown> {
  return sql`(select * from awards where account_id <> all(${accountsBeingErased})) ${sql.id(alias)}`;
}

/**
 * Returns SQL for a table of all awards, for statements that show none of an account that is being erased: they require that its
 * account is shown, which an account that is being erased is not, or only leave out what an account has earned.
 */
export function allAwards(alias: string): RawBuilder<unknown> {
  return sql`awards ${sql.id(alias)}`;
}
