import assert from 'node:assert/strict';
import type { Random } from '../../../simulators/world/random.ts';
import { type CounterName, counterNames } from '../../../src/model/counters.ts';
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
  /** True for the number of a window that is counted from its items. */
  isCollected?: boolean;
  /** True for a lifetime number of a person at a host that reports such numbers. */
  isReported?: boolean;
  /** True for evidence, a card or a page, which shows the number of another response again. */
  isShownAgain?: boolean;
}

/** Chooses the part that is read at a moment, because reading everything takes seconds. */
export interface Sample {
  counters: (all: readonly CounterName[]) => readonly CounterName[];
  people: <Person>(all: readonly Person[]) => readonly Person[];
  /** Returns whether a part of what shows numbers is read. */
  has: (part: 'levels' | 'card' | 'page' | 'contributors' | 'kinds' | 'board') => boolean;
}

/** Everything of the first people of lists. */
export const wholeSample: Sample = { counters: (all) => all, people: (all) => all.slice(0, 3), has: () => true };

/** Returns a sample of some numbers, which differ from call to call. */
export function randomSample(random: Random): Sample {
  return {
    counters: (all) => [random.pick(all)],
    people: (all) => (all.length === 0 ? [] : [random.pick(all.slice(0, 3))]),
    has: () => random.chance(0.3),
  };
}

interface Body {
  meta_data: { missing?: string[]; source?: string; total?: number; as_of?: string; sum?: { remainder: number } };
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
  sample = wholeSample,
): Promise<ShownNumber[]> {
  const shown = sample.has('levels') ? await readLevels(service, account) : [];
  for (const window of windows) {
    shown.push(...(await readCounters(service, account, window, sample)));
    if (sample.has('contributors')) shown.push(...(await readContributors(service, account, window, sample)));
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

/** A board of everything and the list of the same contributions, as they are shown at one moment. */
export interface BoardMoment {
  board: BoardState;
  list: BoardState;
  /** The points as the card and the page of the board draw them. */
  drawn: ShownNumber[];
  /** The points of a person that no item of the evidence explains. */
  remainder: number;
}

interface BoardState {
  /** By the ids of people. */
  numbers: ReadonlyMap<unknown, { name: string; value: number }>;
  isMissing: boolean;
  /** The time up to which everything is known; empty: none. */
  asOf: string;
}

/** Reads the points of people on `boardOfEverything`, and their numbers in the list; undefined while there is one of them. */
export async function readBoard(
  service: Reader,
  owner: string,
  sample = wholeSample,
): Promise<BoardMoment | undefined> {
  const path = `${owner}/boards/everything`;
  const listed = `${owner}/contributors?limit=100&kinds=commits,issues,pull_requests,discussions&${everything}&type=user`;
  const [board, list] = [await readJson(service, `${path}?limit=100`), await readJson(service, listed)];
  if (board === undefined || list === undefined) return undefined;
  const ranked = board.data as unknown as { person: { id: string; name: string }; points: number }[];
  const people = list.data as unknown as { id: string; name: string; contributions: number }[];
  const isMissing = isIncomplete(board);
  const isDrawn = sample.has('board');
  const card = (isDrawn && (await readDescription(service, `${path}?limit=100&format=svg`))) || '';
  const drawn = ranked.flatMap(({ person: { name }, points }): ShownNumber[] => {
    const meaning = `points of ${name}`;
    const [, onCard] = new RegExp(`${name}: (\\d+)`).exec(card) ?? [];
    return [
      { meaning, address: path, value: points, isMissing },
      ...(onCard === undefined ? [] : [{ meaning, address: 'the card', value: Number(onCard), isMissing }]),
    ];
  });
  const [explained] = isDrawn ? sample.people(ranked) : [];
  const evidence = explained && (await readJson(service, `${path}/people/${explained.person.name}?limit=1`));
  return {
    board: {
      numbers: new Map(ranked.map(({ person: { id, name }, points }) => [id, { name, value: points }])),
      isMissing,
      asOf: board.meta_data.as_of ?? '',
    },
    list: {
      numbers: new Map(people.map(({ id, name, contributions }) => [id, { name, value: contributions }])),
      isMissing: isIncomplete(list),
      asOf: list.meta_data.as_of ?? '',
    },
    drawn,
    remainder: evidence?.meta_data.sum?.remainder ?? 0,
  };
}

/**
 * Returns the points of a board that contradict the list. A board is a ranking of a moment: it has the numbers which the
 * list showed then, and while the list shows others by now, it says so, by `missing` or by an earlier `as_of`.
 * @param atRanking what the list showed when the board was ranked.
 */
export function findBoardContradictions(
  { board, list, drawn, remainder }: BoardMoment,
  atRanking: { list: BoardState; isNow: boolean } | undefined,
): string[] {
  const found = findContradictions(drawn);
  if (atRanking !== undefined) {
    const { isNow } = atRanking;
    if (isNow && remainder !== 0) found.push(`the evidence of a ranking lacks ${remainder}`);
    if (!(board.isMissing && atRanking.list.isMissing)) found.push(...differences(board, atRanking.list, 'then'));
  }
  const isOld = board.isMissing || board.asOf < list.asOf;
  return isOld ? found : [...found, ...differences(board, list, 'now')];
}

function differences(board: BoardState, list: BoardState, when: string): string[] {
  const ids = new Set([...board.numbers.keys(), ...list.numbers.keys()]);
  const say = ({ isMissing }: BoardState): string => (isMissing ? ' (missing)' : '');
  return [...ids].flatMap((id) => {
    const [points, number] = [board.numbers.get(id), list.numbers.get(id)];
    if ((points?.value ?? 0) === (number?.value ?? 0)) return [];
    const name = (points ?? number)?.name;
    return `points of ${name}: ${points?.value ?? 0}${say(board)}, ${when} on the list ${number?.value ?? 0}${say(list)}`;
  });
}

const isIncomplete = ({ meta_data: { missing = [] } }: Body): boolean => missing.length > 0;

/**
 * Returns the pairs of numbers that mean the same and differ, and numbers that do not say that they may lack something.
 * @param options.hasQueuedTotals true: the totals of the account are about to be updated. Until then nodes may keep
 *   responses with a number in `missing` beside newer ones, because only the update of totals announces its people.
 */
export function findContradictions(
  shown: readonly ShownNumber[],
  { hasQueuedTotals }: { hasQueuedTotals: boolean } = { hasQueuedTotals: false },
): string[] {
  const found: string[] = [];
  for (const [meaning, same] of Map.groupBy(shown, (number) => number.meaning)) {
    for (const [index, left] of same.entries()) {
      for (const right of same.slice(index + 1)) {
        // A dash stands for a number of which nothing is stored.
        const isEqual = (left.value ?? 0) === (right.value ?? 0) || isOfHostAlone(left, right);
        const isUpdating = hasQueuedTotals && left.isMissing && right.isMissing;
        if ((!isEqual && !isUpdating) || hidesGap(left, right))
          found.push(`${meaning}: ${describe(left)}, ${describe(right)}`);
      }
    }
  }
  return found;
}

/**
 * Returns whether the host has more of a lifetime number than the sum of stored items, which the window of the other one
 * shows and names in `missing`: hosts have no numbers of windows without a beginning. A number that the host reported is
 * shown until it has been fetched again, as the last good one.
 */
function isOfHostAlone(left: ShownNumber, right: ShownNumber): boolean {
  const [counted, other] = left.isCollected === true ? [left, right] : [right, left];
  const isOfHost = other.isCollected !== true && (!other.isMissing || other.isReported === true);
  return isOfHost && counted.isCollected === true && counted.isMissing && (other.value ?? 0) > (counted.value ?? 0);
}

/** Returns whether an address shows a number again as complete that its own response calls incomplete. */
function hidesGap(response: ShownNumber, other: ShownNumber): boolean {
  return other.isShownAgain === true && response.isShownAgain !== true && response.isMissing && !other.isMissing;
}

function describe({ value, isMissing, address }: ShownNumber): string {
  return `${value}${isMissing ? ' (missing)' : ''} at ${address}`;
}

/** The states of addresses that show no numbers: they are being looked up, have another name by now, or do not exist. */
const unknownStates = new Set([202, 301, 404]);

async function readJson(service: Reader, path: string): Promise<Body | undefined> {
  const { status, text } = await service.get(path);
  if (unknownStates.has(status)) return undefined;
  assert.equal(status, 200, `${path}: ${text}`);
  return JSON.parse(text) as Body;
}

async function readDescription(service: Reader, path: string): Promise<string | undefined> {
  const { status, text, headers } = await service.get(path);
  if (unknownStates.has(status)) return undefined;
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
  }));
}

/** Names the account and the window of a number. A window that begins before every item is the lifetime. */
function toName(account: string, window: string): string {
  return `of ${account} ${window === everything ? '' : window}`.trim();
}

async function readCounters(service: Reader, account: string, window: string, sample: Sample): Promise<ShownNumber[]> {
  // Addresses of one window show one number.
  const meaning = `of ${account} in ${window}`;
  const path = `${account}/contributions`;
  const body = await readJson(service, `${path}?${window}`);
  if (body === undefined) return [];
  const counters = (body.data[0]?.['contributions'] ?? {}) as Counters;
  const listed = listNumbers(meaning, counters, body, `${path}?${window}`);
  const isCollected = body.meta_data.source === 'collected' && window !== '';
  const isReported = body.data[0]?.['type'] === 'user' && body.data[0]['provider'] === 'github' && window === '';
  const shown = [...listed];
  for (const counter of sample.counters(counterNames)) {
    const address = `${path}/${counter}?limit=1&${window}`;
    const evidence = await readJson(service, address);
    // Its `missing` is about the items, which may also lack some of a complete number.
    for (const number of evidence === undefined
      ? []
      : listNumbers(meaning, { [counter]: evidence.meta_data.total ?? 0 }, evidence, address))
      shown.push({ ...number, isShownAgain: true });
  }
  const card = `${path}?format=svg&show=${rareCounters.join(',')}&${window}`;
  const drawn = sample.has('card') ? await readDescription(service, card) : undefined;
  for (const counter of counterNames) {
    const value = drawn === undefined ? undefined : findDrawn(drawn, loadTexts('en').cards[counter]);
    if (value === undefined) continue;
    const isMissing = value === null || saysGap(drawn ?? '');
    shown.push({ meaning: `${counter} ${meaning}`, address: card, value, isMissing, isShownAgain: true });
  }
  // A window that begins before every item is the lifetime.
  const isLifetime = window === '' || window === everything;
  for (const number of listNumbers(`of ${account}`, isLifetime ? counters : {}, body, `${path}?${window}`))
    shown.push({ ...number, isCollected, isReported });
  return sample.has('page') ? [...shown, ...(await readPage(service, account, window))] : shown;
}

/** Returns whether a description says that its numbers may lack something: cards say it once, not at each number. */
function saysGap(drawn: string): boolean {
  return /collected here|collecting|still counting/i.test(drawn);
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
  const [community = ''] = /<section id="people">[^]*/.exec(text) ?? [];
  const people = community.matchAll(
    new RegExp(`<a href="/\\w+/${account}/contributors/([^"?/]+)(?:\\?([^"]*))?" class="number"[^>]*>([^<]*)</a>`, 'g'),
  );
  const contributors = [...people].map(([, name, query = '', number = '']) => ({
    meaning: `contributions of ${name} to those ${toName(account, query)}`,
    address,
    value: Number(number.replaceAll(/\D/g, '')),
    isMissing: isCollecting || community.includes('Not completely known yet'),
  }));
  const counters = [...links].map(([, counter, query = '', number = '']) => ({
    meaning: `${counter} of ${account} in ${query}`,
    address,
    value: /\d/.test(number) ? Number(number.replaceAll(/\D/g, '')) : null,
    isMissing: isCollecting || isPart || named.split(', ').includes(labels.get(counter) ?? '') || !/\d/.test(number),
    isShownAgain: true,
  }));
  return [...counters, ...contributors];
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
    shown.push({
      meaning: `level of ${account}`,
      address: card,
      value: Number(level),
      isMissing: saysGap(drawn),
      isShownAgain: true,
    });
  return shown;
}

/** Reads the numbers of the first contributors from the list, their evidence, the card and each kind. */
async function readContributors(
  service: Reader,
  account: string,
  window: string,
  sample: Sample,
): Promise<ShownNumber[]> {
  const shown: ShownNumber[] = [];
  const path = `${account}/contributors`;
  const address = `${path}?limit=100&${window}`;
  const list = await readJson(service, address);
  if (list === undefined) return shown;
  const people = list.data as unknown as { name: string; contributions: number }[];
  const drawn = await readDescription(service, `${path}?limit=100&format=svg&bots=true&${window}`);
  for (const { name, contributions } of sample.people(people)) {
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
    if (!sample.has('kinds')) continue;
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
