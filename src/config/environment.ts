import { misconfigured } from './misconfigured.ts';
import type { Setting } from './setting.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
export type ReadFile = (path: string) => string;

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
  const text = environment[name] || undefined;
  const path = isSecret ? environment[fileVariable(name)] || undefined : undefined;
  if (path === undefined) return text;
  if (text !== undefined) throw misconfigured(`${name} and ${fileVariable(name)} are both set; keep one`);
  return readSettingFile(fileVariable(name), path, readFile).trim();
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
