import { type RawBuilder, sql } from 'kysely';
import type { ListTerm } from '../conditions/checked.ts';
import type { SetForm } from '../conditions/syntax.ts';
import type { ItemSource } from './item-sources.ts';
import { lowerCase } from './lower-case.ts';

/**
 * Returns SQL for a comparison of a list with a set. A list that is not known satisfies nothing, not even that a value
 * is not in it.
 */
export function listHolds({ field, form, values }: ListTerm, source: ItemSource): RawBuilder<unknown> {
  if (field === 'labels')
    return compareArrays(form, source.lowerCaseLabels, sql`(select ${lowerCase(sql`${values}::text[]`)})`);
  if (field === 'emojis') return compareArrays(form, sql`i.emojis`, sql`${values}::text[]`);
  if (field === 'files') return compareArrays(form, sql`i.files`, sql`${values}::text[]`);
  const has = (logins: readonly string[]): RawBuilder<unknown> => {
    const ids = idsOf(logins, source);
    return field === 'actor' ? sql`${source.person} = any(${ids})` : sql`i.reactors && ${ids}`;
  };
  const holds =
    form === 'any' || form === 'none'
      ? has(values)
      : sql.join(
          values.map((login) => sql`(${has([login])})`),
          sql` and `,
        );
  return form === 'none' || form === 'not_all' ? sql`(not (${holds}))` : sql`(${holds})`;
}

function compareArrays(form: SetForm, list: RawBuilder<unknown>, values: RawBuilder<unknown>): RawBuilder<unknown> {
  if (form === 'any') return sql`(${list} && ${values})`;
  if (form === 'none') return sql`(not (${list} && ${values}))`;
  return form === 'all' ? sql`(${list} @> ${values})` : sql`(not (${list} @> ${values}))`;
}

/** Returns SQL for the ids of the accounts with these names at the providers of the repositories. */
export function idsOf(logins: readonly string[], { scope, steps }: ItemSource): RawBuilder<unknown> {
  const found = steps.add(
    JSON.stringify(logins),
    sql`select array(
      select a.id from accounts a
      where a.provider in (select provider from repositories where id = any(${[scope.repositoryId].flat()}::uuid[]))
        and lower(a.name) in (select lower(login) from unnest(${logins}::text[]) as login)) as ids`,
  );
  return sql`(select ids from ${found})::uuid[]`;
}
