import type { Board } from '../board.ts';
import { hasRule, readDefinition, readFields } from '../board-store.ts';
import { listPersonKeys, toPersonKey } from '../people/named-people-store.ts';
import type { CountedRepository, Coverage } from '../ranking/coverage.ts';

/** Removes the names of people who were erased or hidden from the texts of a season, not from its table. */

/** Stands for a name in texts. */
const removedName = '(removed)';
/**
 * Stands for an owner of repositories, and for a login in a condition. GitHub, GitLab and Gitea accept no name that ends with
 * a hyphen.
 */
const removedLogin = 'removed-';

/**
 * Returns the accounts that the rule of a board names, as `provider/login` in lower case: those in grants, teams and
 * exclusions, the ones who granted points, and the owners of repositories.
 */
export function namesIn(board: Board): string[] {
  const [provider = ''] = board.repositories.flatMap(({ places }) => places.map((place) => place.provider));
  const granting = board.grants.map(({ grantedBy }) => toPersonKey({ provider, login: grantedBy.replace(/^@/, '') }));
  const owners = board.repositories.flatMap(({ places }) =>
    places.map((place) => toPersonKey({ provider: place.provider, login: place.owner })),
  );
  return [...new Set([...listPersonKeys(board), ...granting, ...owners, ...loginsInConditions(board, provider)])];
}

/** The lists of logins in conditions. */
const listsOfLogins = /\b((?:actor|reactors)\s+in\s*!?\s*)\[((?:'[^']*'|"[^"]*"|[^\]'"])*)\]/gi;

function loginsInConditions({ rules }: Board, provider: string): string[] {
  return rules.flatMap(({ text }) =>
    [...text.matchAll(listsOfLogins)].flatMap(([, , list = '']) =>
      list.split(',').map((login) => toPersonKey({ provider, login: login.replaceAll(/['"\s]/g, '') })),
    ),
  );
}

/** The parts of a season that may name people. */
export interface NamingParts {
  definition: object;
  coverage: Coverage;
  counted: CountedRepository[] | null;
  missing: string[];
}

/** Returns a text without names of accounts. @param names of accounts, as `provider/login`. */
export function withoutNames(text: string, names: readonly string[]): string {
  return replaceNames(text, names, removedName);
}

/**
 * Returns the parts of a season without names of accounts in texts, conditions and addresses of repositories. Grants, teams
 * and exclusions stay as they are (see `withPeople`).
 */
export function withoutNamesIn(season: NamingParts, names: readonly string[]): NamingParts {
  if (names.length === 0) return season;
  const path = (value: string): string =>
    isOfAny(names, value) ? `${value.split('/')[0] ?? ''}/${removedLogin}/removed` : value;
  return {
    definition: definitionWithout(season.definition, names),
    coverage: {
      ...season.coverage,
      incomplete: season.coverage.incomplete.map((entry) => ({ ...entry, repository: path(entry.repository) })),
    },
    counted: season.counted && season.counted.map((entry) => ({ ...entry, repository: path(entry.repository) })),
    missing: season.missing.map((entry) => {
      const [place = '', state = ''] = entry.split(': ');
      return state === '' ? entry : `${path(place)}: ${state}`;
    }),
  };
}

/** Returns whether the path of a repository, `provider/owner/name`, belongs to one of the accounts. */
function isOfAny(names: readonly string[], path: string): boolean {
  return names.includes(path.split('/').slice(0, -1).join('/').toLowerCase());
}

function definitionWithout(stored: object, names: readonly string[]): object {
  if (!hasRule(stored)) return stored;
  const { fields } = readFields(stored);
  const { repositories } = readDefinition(stored);
  const text = (value: string): string => withoutNames(value, names);
  return {
    ...stored,
    name: text(fields.name),
    ...(fields.description !== undefined && { description: text(fields.description) }),
    repositories: fields.repositories.map((pattern, index) => {
      const places = repositories[index]?.places ?? [];
      const isRemoved = places.some(({ provider, owner, name }) => isOfAny(names, `${provider}/${owner}/${name}`));
      return isRemoved ? `${pattern.startsWith('!') ? '!' : ''}${removedLogin}/removed` : pattern;
    }),
    points: fields.points.map((rule) => ({
      ...rule,
      ...(rule.condition !== undefined && { condition: withoutLogins(rule.condition, names) }),
    })),
    ...(fields.grants && {
      grants: fields.grants.map((grant) =>
        Object.assign({}, grant, { reason: text(grant.reason), granted_by: text(grant.granted_by) }),
      ),
    }),
  };
}

function withoutLogins(condition: string, names: readonly string[]): string {
  return condition.replaceAll(
    listsOfLogins,
    (_list, start: string, logins: string) => `${start}[${replaceNames(logins, names, removedLogin)}]`,
  );
}

/** Replaces logins that stand as words of their own, in any letter case, also after a provider. */
function replaceNames(text: string, names: readonly string[], replacement: string): string {
  const logins = new Set(names.map((name) => name.split('/').at(-1) ?? ''));
  return [...logins].reduce((rest, login) => {
    const escaped = login.replaceAll(/[.+^${}()|[\]\\*?]/g, String.raw`\$&`);
    return rest.replaceAll(
      new RegExp(`(?<![\\p{L}\\p{N}_-]|\\w\\.)${escaped}(?![\\p{L}\\p{N}_-]|\\.\\w)`, 'giu'),
      replacement,
    );
  }, text);
}
