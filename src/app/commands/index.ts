import { hostKinds } from '../../hosts/config/host-settings.ts';
import { nearest } from '../../model/text.ts';
import { settingsHelp } from '../config/environment.ts';
import type { Command } from './command.ts';
import type { Io } from './io.ts';

type Load<Argument> = () => Promise<(io: Io, argument: Argument) => Promise<void>>;

/** Returns a `run` that loads the module of a command when it runs; the exit status is 0. */
function loading<Argument>(load: Load<Argument>): (io: Io, argument: Argument) => Promise<undefined> {
  return async (io, argument) => {
    const run = await load();
    await run(io, argument);
    return undefined;
  };
}

/** Describes a command that takes at most one argument and no option. */
function simple(forms: string, description: string, load: Load<string | undefined>): Command {
  return {
    forms: [forms],
    description,
    options: [],
    maxArguments: forms === '' ? 0 : 1,
    run: (io, [argument]) => loading(load)(io, argument),
  };
}

/**
 * Each command loads its modules when it runs, because loading those of the service takes longer than many commands.
 */
export const commands: Readonly<Record<string, Command>> = {
  serve: {
    ...simple('', 'runs the service, as npm start does', async () => (await import('./serve.ts')).serve),
    details: settingsHelp,
  },
  demo: simple(
    '',
    'runs the service with sample data in a temporary directory',
    async () => (await import('./demo/demo.ts')).demo,
  ),
  doctor: {
    forms: ['[--json]'],
    description: 'reports problems and their remedies',
    options: ['json'],
    maxArguments: 0,
    run: async (io, args) => (await import('./doctor.ts')).doctor(io, args),
  },
  sync: simple(
    'PROVIDER/NAME[/REPOSITORY]',
    'updates the stored data of an account or a repository',
    async () => (await import('./sync.ts')).sync,
  ),
  sample: simple('', 'fills a new database with sample data', async () => (await import('./sample.ts')).sample),
  install: simple(
    'PROVIDER/OWNER[/REPOSITORY]',
    'keeps an account or a repository current, as far as the configured token can read it',
    async () => (await import('./installations.ts')).installByName,
  ),
  uninstall: simple(
    'PROVIDER/OWNER[/REPOSITORY]',
    'ends an installation; the stored data stays',
    async () => (await import('./installations.ts')).uninstallByName,
  ),
  installations: simple(
    '',
    'lists installed accounts and repositories',
    async () => (await import('./installations.ts')).listInstalled,
  ),
  'github-app-url': {
    forms: ['[--writing] [ORGANIZATION]'],
    description:
      'prints the address of the form that registers a GitHub App for this service; --writing adds permissions for comments and reports',
    options: ['writing'],
    maxArguments: 1,
    run: loading(async () => (await import('./github-app.ts')).gitHubAppUrl),
  },
  card: {
    forms: ['[--json] PATH FILE [PATH FILE...]'],
    description:
      'writes images into files; PATH is an address of this service, FILE ends with .svg or .png; --json prints the numbers',
    options: ['json'],
    maxArguments: Number.POSITIVE_INFINITY,
    run: loading(async () => (await import('./card.ts')).card),
  },
  'card-workflow': simple(
    '',
    'prints a workflow for GitHub Actions that writes cards into a repository, by the action in this clone',
    async () => (await import('./card-workflow.ts')).cardWorkflow,
  ),
  migrate: {
    forms: ['[--partitions N | --citus]'],
    description:
      'brings the tables up to date; --partitions divides the large ones by repository, --citus distributes them over the workers of a Citus cluster',
    options: ['partitions', 'citus'],
    maxArguments: 1,
    run: loading(async () => (await import('./migrate.ts')).migrateTables),
  },
  backup: simple(
    'FILE|-',
    'writes everything stored to a file or a pipe, fast, for this release',
    async () => (await import('./copy.ts')).backUpTo,
  ),
  restore: simple(
    'FILE|-',
    'fills a new database from a backup of this release',
    async () => (await import('./copy.ts')).restoreFrom,
  ),
  export: simple(
    'FILE',
    'writes everything stored to a file for any later release',
    async () => (await import('./copy.ts')).exportTo,
  ),
  import: simple('FILE', 'fills a new database from an export', async () => (await import('./copy.ts')).importFrom),
  'import-awards': {
    forms: ['--account PROVIDER/NAME [--repository OWNER/NAME]... FILE'],
    description: "stores a person's awards of another service from its saved response, with their ids and dates",
    options: ['account', 'repository'],
    maxArguments: Number.POSITIVE_INFINITY,
    run: loading(async () => (await import('./import-awards.ts')).importSavedAwards),
  },
  achievements: {
    forms: [
      `check [FILE...] [--host ${hostKinds.join('|')}] [--explain | --json]`,
      'preview FILE PROVIDER/OWNER/REPOSITORY [--person LOGIN] [--read] [--json]',
    ],
    description:
      'check reports errors in achievements files (- is standard input; by default that of the present repository), and with --explain what each achievement needs; preview reports who would earn what, and why not, by the stored data; --read fetches missing data',
    options: ['host', 'explain', 'json', 'person', 'read'],
    maxArguments: Number.POSITIVE_INFINITY,
    run: loading(async () => (await import('./rule-files.ts')).achievements),
  },
  boards: {
    forms: [`check [FILE...] [--host ${hostKinds.join('|')}] [--json]`, 'preview FILE PROVIDER/OWNER [--json]'],
    description:
      'check reports errors in files of boards (- is standard input; by default that of the present repository); preview prints the rankings that a file would give, and what its rules reward, by the stored data',
    options: ['host', 'json'],
    maxArguments: Number.POSITIVE_INFINITY,
    run: loading(async () => (await import('./rule-files.ts')).boards),
  },
  init: {
    forms: [`[ADDRESS] [--host ${hostKinds.join('|')}]`],
    description:
      "writes the files of a repository that has none: achievements, a board, icons and a workflow for cards; ADDRESS is the repository's, by default that of git's remote",
    options: ['host'],
    maxArguments: 2,
    run: loading(async () => (await import('./init/init.ts')).init),
  },
  completion: simple('bash|zsh|fish', 'prints a script that completes commands and options in a shell', async () => {
    const { printCompletion } = await import('./completion.ts');
    return (io, shell) => printCompletion(io, shell, commands);
  }),
};

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
