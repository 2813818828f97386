import { readFileSync } from 'node:fs';
import { misconfigured, type Setting } from '../../hosts/config/setting.ts';
import { distanceBetween } from '../../model/text.ts';
import { settings } from './settings.ts';

const names: readonly string[] = settings.flatMap(({ name, isSecret }) =>
  isSecret ? [name, fileVariable(name)] : [name],
);
const maxSlips = 2;
/** The length up to which a word has room for one typing error only: GITHUB_ORG is not meant as GITHUB_URL. */
const shortLength = 3;

export type Environment = Readonly<Record<string, string | undefined>>;
export type ReadFile = (path: string) => string;

/** Reads a file of the machine; tests replace it. */
export const readText: ReadFile = (path) => readFileSync(path, 'utf8');

/**
 * Returns the text of a setting: the variable, or for a secret the file that `NAME_FILE` names. An empty variable is
 * not set.
 * @throws AppError `misconfigured` when both are set or the file cannot be read.
 */
export function settingText(
  { name, isSecret }: Pick<Setting, 'name' | 'isSecret'>,
  environment: Environment,
  readFile: ReadFile,
): string | undefined {
  const text = withoutQuotes(environment[name]);
  const path = isSecret ? withoutQuotes(environment[fileVariable(name)]) : undefined;
  if (path === undefined) return text;
  if (text !== undefined) throw misconfigured(`${name} and ${fileVariable(name)} are both set; keep one`);
  return withoutQuotes(readSettingFile(fileVariable(name), path, readFile)) ?? '';
}

/**
 * Removes white space and quotation marks around a value: `docker run --env-file` and the files of systemd and Kubernetes
 * keep what a shell would remove.
 * @returns undefined for an empty value.
 */
function withoutQuotes(text: string | undefined): string | undefined {
  const trimmed = (text ?? '').trim();
  return (quotedText.exec(trimmed)?.[2] ?? trimmed).trim() || undefined;
}

const quotedText = /^(["'])(.*)\1$/s;

/** Returns the names of the variables whose values are read without the quotation marks around them. */
export function findQuoted(
  settings: readonly Pick<Setting, 'name' | 'isSecret'>[],
  environment: Environment,
): string[] {
  const names = settings.flatMap(({ name, isSecret }) => (isSecret ? [name, fileVariable(name)] : [name]));
  return names.filter((name) => quotedText.test((environment[name] ?? '').trim()));
}

/** Returns the name of the variable with the path of a secret's file. */
export function fileVariable(name: string): string {
  return `${name}_FILE`;
}

/**
 * Reads the file that a setting names.
 * @throws AppError `misconfigured` with the name of the setting, when the file cannot be read.
 */
export function readSettingFile(setting: string, path: string, readFile: ReadFile): string {
  try {
    return readFile(path);
  } catch (cause) {
    throw misconfigured(`${setting} names a file that can't be read`, cause);
  }
}

/**
 * Returns the environment without the addresses that Kubernetes and Docker add for other services as NAME_PORT, such as
 * METRICS_PORT=tcp://10.0.0.1:9090 for a service called metrics.
 */
export function withoutServiceLinks(environment: Environment): Environment {
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name, value = '']) => !(name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(value)),
    ),
  );
}

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

/** Returns the list of settings for `plaudit serve --help`. */
export function settingsHelp(): string {
  const width = Math.max(...settings.map(({ name }) => name.length));
  const lines = settings.map(({ name, isSecret, default: value, range, description }) => {
    const bounds = range === undefined ? '' : `; ${range.min} to ${range.max}`;
    const file = isSecret ? `; or a file named by ${fileVariable(name)}` : '';
    return `  ${name.padEnd(width)}  ${description} (default: ${value}${bounds}${file})`.replaceAll('`', '');
  });
  return ['Settings (environment variables):', ...lines].join('\n');
}
