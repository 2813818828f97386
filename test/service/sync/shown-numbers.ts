import assert from 'node:assert/strict';
import { counterNames } from '../../../src/model/counters.ts';
import { counterRows } from '../../../src/model/kinds.ts';
import { loadTexts } from '../../../src/views/languages/texts.ts';
import type { TestService } from '../../e2e/service.ts';

/** The requests of a service, with paths below its entities of GitHub, or absolute ones. */
export type Reader = Pick<TestService, 'get'>;

/** Returns a reader of the same addresses at another host. */
export function toReader(service: Reader, provider: string): Reader {
  return {
    get: (path, init) =>
      service.get(
        path.startsWith('/github/') ? path.replace('github', provider) : `/v1/${provider}/entities/${path}`,
        init,
      ),
  };
}

/** A number as one address shows it. */
export interface ShownNumber {
  /** The number that is meant, such as `commits of ada-lovelace`. */
  meaning: string;
  address: string;
  /** Null: the address shows that it is not known. */
  value: number | null;
  /** True when the address says that the number may lack something. */
  isMissing: boolean;
  /** The origin of the number, where the address says so. A ranking is made at times, and says when. */
  source?: string | undefined;
}

interface Body {
  meta_data: { missing?: string[]; source?: string; total?: number };
  data: Record<string, unknown>[];
}

type Counters = Record<string, number>;

const rareCounters = counterRows.flatMap(({ name, isUsual }) => (isUsual ? [] : [name]));
/** The names of counters in English, as cards and pages show them. */
const labels = new Map<string | undefined, string>(counterNames.map((name) => [name, loadTexts('en').cards[name]]));
const kinds = ['commits', 'issues', 'pull_requests', 'reviews', 'discussions'];
/** A window that begins before every item. */
const everything = 'since=2000-01-01';
/** Windows whose numbers are compared; without one, those of the lifetime. */
export const comparedWindows = ['', 'period=2025', everything] as const;

/**
 * Reads the numbers of an account in some windows from every address that shows them, without letting any job run. An
 * address that has no response yet shows none.
 */
export async function readShownNumbers(
  service: Reader,
  account: string,
  windows: readonly string[] = comparedWindows,
): Promise<ShownNumber[]> {
  const shown = await readLevels(service, account);
  for (const window of windows) {
    shown.push(...(await readCounters(service, account, window)));
    shown.push(...(await readContributors(service, account, window)));
  }
  return shown;
}

/** A board that counts what lists of contributors count, without reviews, of which boards leave out some. */
export function boardOfEverything(owner: string): object {
  return {
    name: 'Everything',
    slug: 'everything',
    repositories: [`${owner}/*`],
    window: { since: '2000-01-01', until: '2041-12-31' },
    points: ['commit', 'issue', 'pull_request', 'discussion'].map((action) => ({ action, points: 1 })),
  };
}

/** Reads the points of people on `boardOfEverything`, the same numbers in the list of contributors, and those drawn. */
export async function readBoardNumbers(service: Reader, owner: string): Promise<ShownNumber[]> {
  const address = `${owner}/boards/everything?limit=100`;
  const listed = `${owner}/contributors?limit=100&kinds=commits,issues,pull_requests,discussions&${everything}&type=user`;
  const [board, list] = [await readJson(service, address), await readJson(service, listed)];
  if (board === undefined || list === undefined) return [];
  const drawn = (await readDescription(service, `${address}&format=svg`)) ?? '';
  const isIncomplete = ({ meta_data: { missing = [] } }: Body): boolean => missing.length > 0;
  const people = list.data as unknown as { name: string; contributions: number }[];
  return (board.data as unknown as { person: { name: string }; points: number }[]).flatMap(
    ({ person: { name }, points }) => {
      const meaning = `points of ${name}`;
      const value = people.find((person) => person.name === name)?.contributions ?? 0;
      const onCard = Number(new RegExp(`${name}: (\\d+)`).exec(drawn)?.[1] ?? points);
      return [
        { meaning, address, value: points, isMissing: isIncomplete(board), source: 'ranking' },
        { meaning, address: 'the card of the board', value: onCard, isMissing: isIncomplete(board), source: 'ranking' },
        { meaning, address: listed, value, isMissing: isIncomplete(list) },
      ];
    },
  );
}

/** Returns the pairs of numbers that mean the same and differ, although one of them does not say that it may be incomplete. */
export function findContradictions(shown: readonly ShownNumber[]): string[] {
  const found: string[] = [];
  for (const [meaning, same] of Map.groupBy(shown, (number) => number.meaning)) {
    for (const [index, left] of same.entries()) {
      for (const right of same.slice(index + 1)) {
        if (left.value === right.value || contradictsOnlyItself(left, right)) continue;
        found.push(`${meaning}: ${describe(left)}, ${describe(right)}`);
      }
    }
  }
  return found;
}

/**
 * Returns whether both numbers say that they may lack something, or the one that does is a ranking of an earlier moment, or
 * one that the service counted itself.
 */
function contradictsOnlyItself(left: ShownNumber, right: ShownNumber): boolean {
  if (left.isMissing && right.isMissing) return true;
  if ([left, right].some(({ source, isMissing }) => source === 'ranking' && isMissing))
    return left.source !== right.source;
  const [collected, other] = left.source === 'collected' ? [left, right] : [right, left];
  return collected.source === 'collected' && other.source === undefined && collected.isMissing;
}

function describe({ value, isMissing, address }: ShownNumber): string {
  return `${value}${isMissing ? ' (missing)' : ''} at ${address}`;
}

async function readJson(service: Reader, path: string): Promise<Body | undefined> {
  const { status, text } = await service.get(path);
  if (status === 202 || status === 404) return undefined;
  assert.equal(status, 200, `${path}: ${text}`);
  return JSON.parse(text) as Body;
}

async function readDescription(service: Reader, path: string): Promise<string | undefined> {
  const { status, text, headers } = await service.get(path);
  assert.equal(status, 200, `${path}: ${text}`);
  if (headers.has('x-error-code')) return undefined;
  return /<desc id="desc">([^]*)<\/desc>/.exec(text)?.[1] ?? assert.fail(text);
}

function listNumbers(prefix: string, counters: Counters, { meta_data: meta }: Body, address: string): ShownNumber[] {
  return Object.entries(counters).map(([name, value]) => ({
    meaning: `${name} ${prefix}`,
    address,
    value,
    isMissing: meta.missing?.includes(name) ?? false,
    source: meta.source,
  }));
}

/** Names the account and the window of a number. A window that begins before every item is the lifetime. */
function toName(account: string, window: string): string {
  return `of ${account} ${window === everything ? '' : window}`.trim();
}

async function readCounters(service: Reader, account: string, window: string): Promise<ShownNumber[]> {
  const meaning = toName(account, window);
  const path = `${account}/contributions`;
  const shown: ShownNumber[] = [];
  const body = await readJson(service, `${path}?${window}`);
  if (body === undefined) return shown;
  const counters = (body.data[0]?.['contributions'] ?? {}) as Counters;
  shown.push(...listNumbers(meaning, counters, body, `${path}?${window}`));
  for (const counter of counterNames) {
    const address = `${path}/${counter}?limit=1&${window}`;
    const evidence = await readJson(service, address);
    if (evidence !== undefined)
      shown.push(...listNumbers(meaning, { [counter]: evidence.meta_data.total ?? 0 }, evidence, address));
  }
  const card = `${path}?format=svg&show=${rareCounters.join(',')}&${window}`;
  const drawn = await readDescription(service, card);
  for (const counter of counterNames) {
    const value = drawn === undefined ? undefined : findDrawn(drawn, loadTexts('en').cards[counter]);
    if (value === undefined) continue;
    // The description says where a card counts collected repositories alone, in place of a mark at each number.
    const isMissing = value === null || /collected here|collecting/i.test(drawn ?? '');
    shown.push({ meaning: `${counter} ${meaning}`, address: card, value, isMissing, source: body.meta_data.source });
  }
  shown.push(...(await readPage(service, account, window)));
  return shown;
}

/** Returns the number behind a label in the description of a card, null for the dash of an unknown one. */
function findDrawn(text: string, label: string): number | null | undefined {
  const [, number] = new RegExp(`${label}: ([\\d,]+|–|—)`).exec(text) ?? [];
  if (number === undefined) return undefined;
  return /\d/.test(number) ? Number(number.replaceAll(',', '')) : null;
}

/** Reads the counters of the page, each of which leads to the evidence of its window, or of the lifetime. */
async function readPage(service: Reader, account: string, window: string): Promise<ShownNumber[]> {
  const address = `/github/${account}?${window}`;
  const { status, text } = await service.get(address, { headers: { accept: 'text/html' } });
  if (status !== 200) return [];
  const isCollecting = text.includes('data-progress');
  const [section = ''] = /<section id="contributions">[^]*?<\/section>/.exec(text) ?? [];
  // Below the numbers, the page names those that may lack something, and says where only collected repositories count.
  const [, named = ''] = /Not completely known yet: ([^<]*)\./.exec(section) ?? [];
  const isPart = section.includes('collected here');
  const links = text.matchAll(
    new RegExp(`<a href="/\\w+/${account}/contributions/(\\w+)(?:\\?([^"]*))?" class="number"[^>]*>([^<]*)</a>`, 'g'),
  );
  return [...links].map(([, counter, query = '', number = '']) => ({
    meaning: `${counter} ${toName(account, query)}`,
    address,
    value: /\d/.test(number) ? Number(number.replaceAll(/\D/g, '')) : null,
    isMissing: isCollecting || isPart || named.split(', ').includes(labels.get(counter) ?? '') || !/\d/.test(number),
  }));
}

/** Reads experience and level, which endpoints 1 and 2, the card and the page show. */
async function readLevels(service: Reader, account: string): Promise<ShownNumber[]> {
  const shown: ShownNumber[] = [];
  for (const path of [account, `${account}/contributions`]) {
    const body = await readJson(service, path);
    const { experience = 0, level = 0 } = (body?.data[0] ?? {}) as { experience?: number; level?: number };
    if (body !== undefined) shown.push(...listNumbers(`of ${account}`, { experience, level }, body, path));
  }
  const card = `${account}/contributions?format=svg`;
  const drawn = (await readDescription(service, card)) ?? '';
  const [, level] = /^Level ([\d,]+)\./.exec(drawn) ?? [];
  if (level !== undefined)
    shown.push({ meaning: `level of ${account}`, address: card, value: Number(level), isMissing: false });
  return shown;
}

/** Reads the numbers of the first contributors from the list, their evidence, the card and each kind. */
async function readContributors(service: Reader, account: string, window: string): Promise<ShownNumber[]> {
  const shown: ShownNumber[] = [];
  const path = `${account}/contributors`;
  const address = `${path}?limit=100&${window}`;
  const list = await readJson(service, address);
  if (list === undefined) return shown;
  const people = list.data as unknown as { name: string; contributions: number }[];
  const isIncomplete = (body: Body): boolean => (body.meta_data.missing ?? []).length > 0;
  const drawn = await readDescription(service, `${path}?limit=100&format=svg&bots=true&${window}`);
  for (const { name, contributions } of people.slice(0, 3)) {
    const meaning = `contributions of ${name} to those ${toName(account, window)}`;
    shown.push({ meaning, address, value: contributions, isMissing: isIncomplete(list) });
    const evidencePath = `${path}/${encodeURIComponent(name)}/evidence?limit=1&${window}`;
    const evidence = await readJson(service, evidencePath);
    const total = evidence?.meta_data.total ?? null;
    if (evidence !== undefined)
      shown.push({ meaning, address: evidencePath, value: total, isMissing: isIncomplete(evidence) });
    const [, onCard] = new RegExp(`(?:^|[ .])${name}: ([\\d,]+)`).exec(drawn ?? '') ?? [];
    if (onCard !== undefined) {
      const value = Number(onCard.replaceAll(',', ''));
      shown.push({ meaning, address: 'the card of contributors', value, isMissing: isIncomplete(list) });
    }
    let sum = 0;
    for (const kind of kinds) {
      const narrowed = await readJson(service, `${path}?limit=100&kinds=${kind}&${window}`);
      const found = narrowed?.data.find((person) => person['name'] === name);
      sum += Number(found?.['contributions'] ?? 0);
    }
    shown.push({ meaning, address: `${path}?kinds=… (summed)`, value: sum, isMissing: isIncomplete(list) });
  }
  return shown;
}
