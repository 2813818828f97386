import type { Account } from '../../simulators/world/model.ts';
import { addAccount } from '../../simulators/world/people.ts';
import type { World } from '../../simulators/world/world.ts';

/** The invented people, organizations and repositories of the sample. */

/** A person of the sample. */
export interface Member {
  login: string;
  name: string;
  bio: string;
  /** The first day of their contributions. */
  since: string;
  /** The share of days with contributions. */
  energy: number;
  /** Repositories that they work on, as `OWNER/NAME`, their favourite first. */
  places: readonly string[];
}

const [seedbook, greenhouse, compost, almanac] = ['seedbook', 'greenhouse', 'compost', 'almanac'].map(
  (name) => `sample-garden/${name}`,
) as [string, string, string, string];
const [tidewater, lighthouse, ferry] = ['tidewater', 'lighthouse', 'ferry'].map((name) => `sample-harbour/${name}`) as [
  string,
  string,
  string,
];

export const members: readonly Member[] = [
  {
    login: 'sample-ada',
    name: 'Ada Fernwood',
    bio: 'Grows parsers and tomatoes. Happy to review your first pull request.',
    since: '2023-03-01',
    energy: 0.72,
    places: [seedbook, greenhouse, 'sample-ada/notes', seedbook, tidewater, 'sample-ada/loom'],
  },
  {
    login: 'sample-mira',
    name: 'Mira Thistledown',
    bio: 'Keeps the lights of the harbour on.',
    since: '2023-05-02',
    energy: 0.5,
    places: [lighthouse, tidewater, seedbook, 'sample-mira/kites'],
  },
  {
    login: 'sample-tamba',
    name: 'Tamba Riverstone',
    bio: 'Sensors, soldering, seedlings.',
    since: '2023-09-11',
    energy: 0.42,
    places: [greenhouse, seedbook, lighthouse],
  },
  {
    login: 'sample-yuki',
    name: 'Yuki Mossfield',
    bio: 'Writes the almanac, one season at a time.',
    since: '2024-01-08',
    energy: 0.38,
    places: [almanac, seedbook, compost],
  },
  {
    login: 'sample-lena',
    name: 'Lena Birkholt',
    bio: 'Build times are weeds. I weed.',
    since: '2024-02-20',
    energy: 0.34,
    places: [compost, seedbook, ferry],
  },
  {
    login: 'sample-rowan',
    name: 'Rowan Oakleaf',
    bio: 'Routes ferries, and sometimes packets.',
    since: '2024-06-03',
    energy: 0.3,
    places: [ferry, tidewater, greenhouse],
  },
  {
    login: 'sample-dana',
    name: 'Dana Saltmarsh',
    bio: 'Tide tables by day, tests by night.',
    since: '2024-09-16',
    energy: 0.27,
    places: [tidewater, seedbook],
  },
  {
    login: 'sample-ivo',
    name: 'Ivo Hollerby',
    bio: 'Accessibility, keyboards, apple trees.',
    since: '2025-01-13',
    energy: 0.22,
    places: [seedbook, almanac],
  },
  {
    login: 'sample-sana',
    name: 'Sana Quillfeather',
    bio: 'Translates the garden into more languages.',
    since: '2025-04-07',
    energy: 0.2,
    places: [almanac, seedbook, lighthouse],
  },
  {
    login: 'sample-nils',
    name: 'Nils Bramblewick',
    bio: 'Finds the bug under the leaf.',
    since: '2025-08-25',
    energy: 0.18,
    places: [greenhouse, seedbook],
  },
  {
    login: 'sample-amara',
    name: 'Amara Sunderleaf',
    bio: 'Maps, dashboards, marigolds.',
    since: '2026-01-19',
    energy: 0.2,
    places: [tidewater, seedbook, greenhouse],
  },
  {
    login: 'sample-jun',
    name: 'Jun Peatmoor',
    bio: 'Came for the herbs, stayed for the people.',
    since: '2026-05-04',
    energy: 0.2,
    places: [seedbook, compost],
  },
  {
    login: 'sample-robin',
    name: 'Robin Meadowlark',
    bio: 'New here.',
    since: '2026-10-19',
    energy: 0.3,
    places: [seedbook],
  },
];

/** Accounts that own repositories together. */
export const organizations = [
  {
    login: 'sample-garden',
    name: 'The Garden',
    bio: 'Open tools for people who grow things. Everybody is welcome, with or without a garden.',
  },
  { login: 'sample-harbour', name: 'The Harbour', bio: 'Open tide tables, lights and timetables for small harbours.' },
] as const;

/**
 * Programs, by the names and addresses by which the service knows them: a bot that updates dependencies, and an agent
 * that writes with people, whose commits name it as co-author. They are no persons, so that these names are real.
 */
export const programs = {
  bot: { login: 'dependabot[bot]', name: 'Dependabot', id: 49_699_333, type: 'Bot' },
  agent: { login: 'claude', name: 'Claude', id: 81_847, type: 'User' },
} as const;
export const agentAddress = 'noreply@anthropic.com';

interface Place {
  path: string;
  description: string;
  language: string;
  createdAt: string;
}

export const repositories: readonly Place[] = [
  {
    path: seedbook,
    description: 'A catalogue of seeds: when to sow, how deep, and next to whom.',
    language: 'TypeScript',
    createdAt: '2023-02-20',
  },
  {
    path: greenhouse,
    description: 'Reads the sensors of a greenhouse, and waters it in time.',
    language: 'Rust',
    createdAt: '2023-04-11',
  },
  {
    path: compost,
    description: 'Turns old builds into fast ones.',
    language: 'Go',
    createdAt: '2024-02-12',
  },
  {
    path: almanac,
    description: 'The handbook of the garden, in eleven languages.',
    language: 'TypeScript',
    createdAt: '2023-12-04',
  },
  {
    path: tidewater,
    description: 'Computes tides for harbours that no table lists.',
    language: 'Python',
    createdAt: '2023-03-06',
  },
  {
    path: lighthouse,
    description: 'Watches services, and says so in plain words.',
    language: 'Rust',
    createdAt: '2023-04-24',
  },
  {
    path: ferry,
    description: 'Timetables for ferries, also without a network.',
    language: 'TypeScript',
    createdAt: '2024-02-15',
  },
  { path: 'sample-ada/notes', description: 'Notes on parsing.', language: 'TypeScript', createdAt: '2023-02-14' },
  {
    path: 'sample-ada/loom',
    description: 'Weaves diagrams from text.',
    language: 'TypeScript',
    createdAt: '2023-02-27',
  },
  { path: 'sample-mira/kites', description: 'Kites to print and fly.', language: 'Python', createdAt: '2023-05-01' },
];

interface PrivatePlace extends Place {
  /** The people who work on it. */
  people: readonly string[];
}

/** Repositories that their owners alone see. */
export const privateRepositories: readonly PrivatePlace[] = [
  {
    path: 'sample-ada/greenprint',
    description: 'A parser that is not ready to be seen.',
    language: 'TypeScript',
    createdAt: '2025-09-01',
    people: ['sample-ada'],
  },
  {
    path: 'sample-mira/logbook',
    description: 'What the sea was like.',
    language: 'Python',
    createdAt: '2026-01-12',
    people: ['sample-mira'],
  },
  {
    path: 'sample-garden/potting-shed',
    description: 'Plans of the garden that are not announced yet.',
    language: 'Go',
    createdAt: '2025-11-03',
    people: ['sample-ada', 'sample-tamba', 'sample-yuki', 'sample-lena'],
  },
];

/** Adds the people, the organizations and the programs to a world. */
export function addCommunity(world: World): void {
  for (const { login, name, bio } of organizations) {
    addAccount(world, { type: 'Organization', login, name, bio, createdAt: new Date('2023-02-01') });
  }
  for (const { login, name, bio, since } of members) {
    addAccount(world, { login, name, bio, emails: [toAddress(login)], createdAt: new Date(since) });
  }
  addAccount(world, { ...programs.bot, emails: [], createdAt: new Date('2024-01-01') });
  addAccount(world, { ...programs.agent, emails: [agentAddress], createdAt: new Date('2025-02-24') });
}

export function toAddress(login: string): string {
  return `${login}@sample.invalid`;
}

/**
 * Returns an account of the world.
 * @throws {Error} when there is none.
 */
export function accountCalled(world: World, login: string): Account {
  const account = world.accountByLogin(login);
  if (account === undefined) throw new Error(`the sample has no account ${login}`);
  return account;
}
