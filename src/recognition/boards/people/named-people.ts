import { nameKey } from '../../../model/account.ts';
import type { Board, PersonName } from '../board.ts';

/** The accounts that boards name in grants, teams and exclusions. */

/** The parts of a board that name accounts. */
export type NamingBoard = Pick<Board, 'people' | 'teams' | 'grants'>;

/** Returns the accounts that a board names. */
export function peopleNamedIn({ people, teams, grants }: NamingBoard): PersonName[] {
  return [...people.exclude, ...teams.flatMap((team) => team.people), ...grants.map(({ person }) => person)];
}

/** Returns the name of an account in the database: `provider/login`, in lower case. */
export function keyOf({ provider, login }: PersonName): string {
  return `${provider}/${nameKey(login)}`;
}

/** Returns the accounts that a board names, as `keyOf` names them. */
export function namedPeopleOf(board: NamingBoard): string[] {
  return [...new Set(peopleNamedIn(board).map(keyOf))];
}
