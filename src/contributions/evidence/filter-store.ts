import { type RawBuilder, sql } from 'kysely';
import { isOfTypeInSql } from '../../accounts/agent-store.ts';
import type { PersonType } from '../../accounts/agents.ts';
import type { StoredCounter } from '../kinds.ts';

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
      : sql`exists (
          select from accounts p where p.id = ${personId === null ? personOf(counter) : sql`${personId}::uuid`}
            and ${isOfTypeInSql('p', type)})`;
  return sql<boolean>`(${isOfType} and ${isAssisted === undefined ? sql`true` : assistedIs(isAssisted, counter)})`;
}

function personOf({ kind, person }: StoredCounter): RawBuilder<unknown> {
  return kind === 'commit'
    ? sql`(select i.account_id from identities i where i.id = c.identity_ids[1])`
    : sql.ref(`c.${person ?? 'account_id'}`);
}

function assistedIs(isAssisted: boolean, { kind }: StoredCounter): RawBuilder<unknown> {
  if (kind !== 'commit') return isAssisted ? sql`false` : sql`true`;
  return isAssisted ? sql`c.assisted` : sql`c.assisted is not true`;
}
