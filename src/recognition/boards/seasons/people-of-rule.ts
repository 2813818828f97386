import type { PersonName } from '../board.ts';
import { hasRule, readFields } from '../definition.ts';
import { isTeam, toPerson } from '../file/read-people.ts';
import { keyOf } from '../people/named-people.ts';

/**
 * Returns the stored definition of a board without the exclusions, members of teams and grants of other people.
 * @throws Error when the definition has not the shape of a board.
 */
export function withPeople(definition: object, people: readonly PersonName[]): object {
  if (!hasRule(definition)) return definition;
  const { provider, fields } = readFields(definition);
  const kept = new Set(people.map(keyOf));
  const isKept = (text: string): boolean => isTeam(text) || kept.has(keyOf(toPerson(text, provider)));
  const { people: ranked, teams, grants } = fields;
  return {
    ...definition,
    ...(ranked?.exclude && { people: { ...ranked, exclude: ranked.exclude.filter(isKept) } }),
    ...(teams && {
      teams: Object.fromEntries(Object.entries(teams).map(([name, members]) => [name, members.filter(isKept)])),
    }),
    ...(grants && { grants: grants.filter(({ person }) => isKept(person)) }),
  };
}
