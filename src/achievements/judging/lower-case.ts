import { type RawBuilder, sql } from 'kysely';

/** An array of texts in lower case: through its text form, which is several times faster than taking the array apart and putting it together. */
export function lowerCase(list: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when ${list} = '{}' then ${list} else lower(${list}::text)::text[] end`;
}
