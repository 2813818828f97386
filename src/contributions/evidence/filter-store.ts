import { type RawBuilder, sql } from 'kysely';
import { isOfTypeInSql } from '../../accounts/actor-store.ts';
import type { PersonType } from '../../model/agents.ts';
import type { StoredCounter } from '../../model/kinds.ts';

/** Narrows the items behind a number. */
export interface ItemFilter {
  /** The type of the account that an item counts for; of a commit in a repository, of its author. */
  type?: PersonType | undefined;
  /** True: commits that a program helped to write; false: all other items. */
  isAssisted?: boolean | undefined;
}

/**
 * Returns the condition that a filter keeps the item `c` of a counter.
 * @param scope.personId the person whose items are listed; null: those of all people.
 */
export function isWanted(
  { personId, filter }: { personId: string | null; filter?: ItemFilter | undefined },
  counter: StoredCounter,
): RawBuilder<boolean> {
  const { type, isAssisted } = filter ?? {};
  const isOfType =
    type === undefined
      ? sql`true`
      : personId === null
        ? sql`exists (select from (${peopleInSql(type, counter)}) p where p.id = ${personIn(counter)})`
        : sql`exists (select 1 from accounts p where p.id = ${personId}::uuid and ${isOfTypeInSql('p', type)})`;
  return sql<boolean>`(${isOfType} and ${isAssisted === undefined ? sql`true` : assistedIs(isAssisted, counter)})`;
}

/** Returns SQL for the ids by which items of a counter name the people of a type; the subquery depends on no item. */
function peopleInSql(type: PersonType, { kind }: StoredCounter): RawBuilder<unknown> {
  return kind === 'commit'
    ? sql`select i.id from identities i join accounts p on p.id = i.account_id where ${isOfTypeInSql('p', type)}`
    : sql`select p.id from accounts p where ${isOfTypeInSql('p', type)}`;
}

function personIn({ kind, person }: StoredCounter): RawBuilder<unknown> {
  return kind === 'commit' ? sql`c.identity_ids[1]` : sql.ref(`c.${person ?? 'account_id'}`);
}

function assistedIs(isAssisted: boolean, { kind }: StoredCounter): RawBuilder<unknown> {
  // Always false, because nothing was created then. With a constant, Citus does not recognize that the rows are of one
  // repository.
  if (kind !== 'commit') return isAssisted ? sql`c.created_at = '-infinity'` : sql`true`;
  return isAssisted ? sql`c.assisted` : sql`c.assisted is not true`;
}

/** Repositories by their ids. */
export interface NarrowedRepositories {
  /** Null: all. */
  only: readonly string[] | null;
  except: readonly string[];
}

/** The condition that the repository `r` is one of those to which a scope is narrowed. */
export function isAmong(scope: {
  repositoryId: string | null;
  repositories?: NarrowedRepositories | undefined;
}): RawBuilder<boolean> {
  const { repositoryId, repositories } = scope;
  const isOne = repositoryId === null ? sql<boolean>`true` : sql<boolean>`r.id = ${repositoryId}::uuid`;
  if (repositories === undefined) return isOne;
  const { only, except } = repositories;
  return sql<boolean>`${isOne} and (${only}::uuid[] is null or r.id = any(${only}::uuid[]))
    and r.id <> all(${except}::uuid[])`;
}
