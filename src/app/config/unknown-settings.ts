import { misconfigured } from '../../hosts/config/misconfigured.ts';
import { distanceBetween } from '../../model/text/nearest.ts';
import { type Environment, fileVariable } from './environment.ts';
import { settings } from './settings.ts';

const names: readonly string[] = settings.flatMap(({ name, isSecret }) =>
  isSecret ? [name, fileVariable(name)] : [name],
);
const maxSlips = 2;
/** The length up to which a word has room for one typing error only: GITHUB_ORG is not meant as GITHUB_URL. */
const shortLength = 3;

/**
 * Rejects variables that are a typing error away from a setting. Other unknown variables belong to other programs: CI
 * systems, Codespaces and Kubernetes set many that begin with the name of a code host.
 * @throws AppError `misconfigured` with the name of the variable and of the setting.
 */
export function rejectMisspelledSettings(environment: Environment): void {
  for (const name of Object.keys(environment)) {
    if (names.includes(name)) continue;
    const meant = names.find((known) => isMisspelling(bare(name), bare(known)));
    if (meant !== undefined) throw misconfigured(`${name} is not a setting of this service; did you mean ${meant}?`);
  }
}

function isMisspelling(name: string, known: string): boolean {
  const [prefix, rest] = splitPrefix(name);
  const [knownPrefix, knownRest] = splitPrefix(known);
  if (prefix !== knownPrefix) return false;
  const allowed = Math.max(rest.length, knownRest.length) <= shortLength ? 1 : maxSlips;
  return distanceBetween(rest, knownRest) <= allowed;
}

/** Removes the parts that users add or leave out by mistake: the prefix PLAUDIT_, and the unit (_S or _MS). */
function bare(name: string): string {
  return name.replace(/^PLAUDIT_/, '').replace(/_M?S$/, '');
}

function splitPrefix(name: string): [string, string] {
  const [prefix = '', ...rest] = name.split('_');
  return [prefix, rest.join('_')];
}
