import { settingsHelp } from '../config/help.ts';
import { achievements } from './achievements.ts';
import { exportTo, importFrom } from './backup.ts';
import { card } from './card.ts';
import { doctor } from './doctor.ts';
import { gitHubAppUrl } from './github-app.ts';
import { installByName, listInstalled, uninstallByName } from './installations.ts';
import type { Io } from './io.ts';
import { demo, sample } from './sample.ts';
import { serve } from './serve.ts';
import { sync } from './sync.ts';

/** One command of the command line. */
export interface Command {
  /** Its arguments, one line for each form. */
  forms: readonly string[];
  description: string;
  /** Returns the rest of its help. */
  details?: () => string;
  /** The names of its options, without the dashes; absent when the command checks its arguments itself. */
  options?: readonly string[];
  /** The largest number of arguments without options. */
  maxArguments: number;
  /** Runs it. Returns the exit status; undefined is 0. */
  run: (io: Io, args: readonly string[]) => Promise<number | undefined>;
}

/** Describes a command that takes at most one argument and no option. */
function simple(
  forms: string,
  description: string,
  run: (io: Io, argument: string | undefined) => Promise<void>,
): Command {
  return {
    forms: [forms],
    description,
    options: [],
    maxArguments: forms === '' ? 0 : 1,
    run: (io, [argument]) => run(io, argument).then(() => undefined),
  };
}

export const commands: Readonly<Record<string, Command>> = {
  serve: { ...simple('', 'runs the service, as npm start does', serve), details: settingsHelp },
  demo: simple('', 'runs the service with sample data in a temporary directory', demo),
  doctor: {
    forms: ['[--json]'],
    description: 'reports problems and their remedies',
    options: ['json'],
    maxArguments: 0,
    run: doctor,
  },
  sync: simple('PROVIDER/NAME[/REPOSITORY]', 'updates the stored data of an account or a repository', sync),
  sample: simple('', 'fills a new database with sample data', sample),
  install: simple(
    'PROVIDER/OWNER[/REPOSITORY]',
    'keeps an account or a repository current, as far as the configured token can read it',
    installByName,
  ),
  uninstall: simple('PROVIDER/OWNER[/REPOSITORY]', 'ends that; the stored data stays', uninstallByName),
  installations: simple('', 'lists installed accounts and repositories', listInstalled),
  'github-app-url': {
    forms: ['[--telling] [ORGANIZATION]'],
    description:
      'prints the address of the form that registers a GitHub App for this service; --telling adds permissions for comments and reports',
    options: ['telling'],
    maxArguments: 1,
    run: (io, args) => gitHubAppUrl(io, args).then(() => undefined),
  },
  card: {
    forms: ['PATH FILE [PATH FILE...]'],
    description: 'writes images into files; PATH is an address of this service, FILE ends with .svg or .png',
    options: [],
    maxArguments: Number.POSITIVE_INFINITY,
    run: (io, args) => card(io, args).then(() => undefined),
  },
  export: simple('FILE', 'writes everything stored to a file', exportTo),
  import: simple('FILE', 'fills a new database from such a file', importFrom),
  achievements: {
    forms: [
      'check FILE... [--host github|gitea|forgejo|gitlab] [--json]',
      'preview FILE PROVIDER/OWNER/REPOSITORY [--person LOGIN] [--json]',
    ],
    description:
      'check reports errors in achievements files (- is standard input); preview reports who would earn what, and why not',
    maxArguments: Number.POSITIVE_INFINITY,
    run: (io, args) => achievements(io, args).then(() => undefined),
  },
};
