import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../src/app/config/config.ts';
import { createProviders } from '../src/hosts/index.ts';
import { pollIntervalMs, pollLimitsMs } from '../src/sync/listings/poll-schedule.ts';

/** Writes the table of intervals between polls into docs/operations.md, between two marks. */

const marks = { start: '<!-- freshness -->', end: '<!-- /freshness -->' };
const hourMs = 3_600_000;
const numbers = [100, 500, 2000, 5000, 10_000, 50_000];
const credentials = [1, 2, 5, 20];
/** One repository of this number has just changed. */
const oneIn = 50;

/** Returns the polls of single repositories in an hour that each kind of host permits one credential, by its name. */
export async function readPollsPerHour(): Promise<Record<string, number>> {
  const url = 'https://host.example.org';
  const { providers: hosts } = readConfig({ GITHUB_TOKEN: 'token', GITEA_URL: url, GITLAB_URL: url }, () => '');
  const providers = createProviders(hosts, { connectTimeoutMs: 1000, now: () => new Date(0) });
  const perHour: Record<string, number> = {};
  for (const [name, provider] of providers) {
    perHour[name] = provider.polls?.repositories.perHour ?? 0;
    await provider.close();
  }
  return perHour;
}

/**
 * Returns the table: for numbers of repositories and credentials, the intervals of active and of dormant ones.
 * @param perHour the polls in an hour of one credential.
 */
export function freshnessTable(perHour: number): string {
  const rows = numbers.map((repositories) => {
    const cells = credentials.map((count) => intervals(repositories, count * perHour));
    return `| ${repositories.toLocaleString('en')} | ${cells.join(' | ')} |`;
  });
  const heads = credentials.map((count) => (count === 1 ? '1 credential' : `${count} credentials`));
  return [`| repositories | ${heads.join(' | ')} |`, `|---|${'---|'.repeat(heads.length)}`, ...rows].join('\n');
}

function intervals(repositories: number, pollsPerHour: number): string {
  const { shortest, longest } = pollLimitsMs;
  const active = repositories / oneIn;
  const wantedPerHour = (active * hourMs) / shortest + ((repositories - active) * hourMs) / longest;
  const load = { repositories, wantedPerHour, pollsPerHour };
  return [shortest, longest].map((wanted) => inWords(pollIntervalMs(wanted, load))).join(', ');
}

function inWords(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = fileURLToPath(new URL('../docs/operations.md', import.meta.url));
  const before = readFileSync(file, 'utf8');
  const [start, end] = [before.indexOf(marks.start), before.indexOf(marks.end)];
  if (start < 0 || end < start) throw new Error(`docs/operations.md needs the marks ${marks.start} and ${marks.end}`);
  const { github = 0 } = await readPollsPerHour();
  writeFileSync(file, `${before.slice(0, start)}${marks.start}\n${freshnessTable(github)}\n${before.slice(end)}`);
}
