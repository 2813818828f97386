/** A place in a repair, which begins with lost people of days (null: the first one), then takes all people, then all languages. */
export type Repair =
  | { part: 'days'; from: string | null }
  | { part: 'people'; after: string }
  | { part: 'languages'; after: number };
