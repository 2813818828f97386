import { fileVariable } from './environment.ts';
import { settings } from './settings.ts';

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
