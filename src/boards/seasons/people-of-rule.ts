import { Check } from 'typebox/value';
import type { Board, PersonName } from '../board.ts';
import { isTeam, toPerson } from '../file/read-people.ts';
import { BoardFields } from '../file/schema.ts';

/** Returns the people whom the rule of a board names. */
export function peopleNamedIn({ people, teams, grants }: Pick<Board, 'people' | 'teams' | 'grants'>): PersonName[] {
  return [...people.exclude, ...teams.flatMap((team) => team.people), ...grants.map(({ person }) => person)];
}

/**
 * Returns the stored definition of a board without the exclusions, members of teams and grants of other people.
 * @throws Error when the definition has not the shape of a board.
 */
export function withPeople(definition: object, people: readonly PersonName[]): object {
  const { provider = '', ...fields }: { provider?: string } = definition;
  if (!Check(BoardFields, fields)) throw new Error('a stored board has another shape than its schema');
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

function keyOf({ provider, login }: PersonName): string {
  return `${provider}/${login}`.toLowerCase();
}
