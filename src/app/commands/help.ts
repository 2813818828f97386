import { nearest } from '../../model/text/nearest.ts';
import type { Command } from './command.ts';
import { commands } from './index.ts';

/** Returns the help of the whole command line. */
export function usage(): string {
  return [
    'plaudit COMMAND',
    ...Object.entries(commands).map(([name, command]) => describe(name, command)),
    'plaudit COMMAND --help describes one command; plaudit --version prints the version.',
    'Settings come from the environment; plaudit serve --help lists them.',
  ].join('\n');
}

/** Returns the help of one command. */
export function formatUsage(name: string, command: Command): string {
  const details = command.details?.();
  return formatForms(name, command) + (details === undefined ? '' : `\n\n${details}`);
}

/** Returns the forms and the description of one command, without the details of its help. */
export function formatForms(name: string, command: Command): string {
  return describe(`plaudit ${name}`, command);
}

function describe(name: string, { forms, description }: Command): string {
  const lines = forms.map((form) => `  ${name}${form === '' ? '' : ` ${form}`}`);
  return lines.concat(`      ${description}`).join('\n');
}

/** Returns the reason why arguments do not fit a command, with the closest valid option; undefined when they fit. */
export function misuse(name: string, { options, maxArguments }: Command, args: readonly string[]): string | undefined {
  const written = args.filter((argument) => argument.startsWith('-') && argument !== '-' && argument !== '--');
  for (const option of written) {
    const bare = option.replace(/^-+/, '').replace(/=.*$/, '');
    if (option.startsWith('--') && options.includes(bare)) continue;
    const meant = nearest(bare, options);
    const known = options.length === 0 ? 'it takes none' : `it has ${options.map((known) => `--${known}`).join(', ')}`;
    return `${name} has no option ${option}; ${meant === undefined ? known : `did you mean --${meant}?`}`;
  }
  if (args.length - written.length > maxArguments) {
    return `${name} takes ${maxArguments === 0 ? 'no argument' : 'one argument'}; ${args.length - written.length} were given`;
  }
  return undefined;
}

/** Returns the message for an unknown command, with the closest known one. */
export function unknownCommand(name: string): string {
  const meant = nearest(name, Object.keys(commands));
  return `there is no command ${name}; ${meant === undefined ? 'plaudit --help lists those that there are' : `did you mean ${meant}?`}`;
}
