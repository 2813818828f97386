import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { issueToken } from '../../accounts/access/tokens/issue.ts';
import { generateSigningKey } from '../../accounts/access/tokens/signing-key-store.ts';
import { listInstallations } from '../../accounts/installations/store.ts';
import { findByName } from '../../accounts/store.ts';
import type { ContributionsCard } from '../../contributions/routes.ts';
import type { Connection } from '../../database/connections/connection.ts';
import type { Account } from '../../model/account.ts';
import { AppError } from '../../model/errors.ts';
import { toFields } from '../../model/fields.ts';
import { createLog, linesForPeople } from '../../model/log.ts';
import { installAccount } from '../../sync/installations/operator.ts';
import { hasCompletedScan } from '../../sync/streams/stream-store.ts';
import { type Service, startService } from '../app.ts';
import { type Config, readConfig } from '../config/config.ts';
import { type Io, UsageError } from './io.ts';
import { type CardSubject, refreshKept, waitForJobs, waitForLookups } from './refresh-kept.ts';

/** The time budget of a lookup, in ms: longer than in the service, because no browser waits for the response. */
const lookupBudgetMs = 30_000;
const pollMs = 250;
/** The longest wait, in ms, for complete numbers; without a token, some never become complete. */
const patienceMs = { withToken: 600_000, withoutToken: 15_000 };

/** The longest age, in ms, of kept data that is not fetched again. */
const freshForMs = 60_000;

/** The report of `--json`. */
interface Report {
  cards: ReportedCard[];
  /** True when contributions were read, so that it is worth keeping the data directory for the next run. */
  data_changed: boolean;
}

interface ReportedCard {
  path: string;
  file: string;
  changed: boolean;
  /** The text of the image. */
  description: string;
  /** The items of the JSON response with the same numbers. */
  numbers: unknown;
}

/**
 * `plaudit card [--json] PATH FILE [PATH FILE...]`: writes the images that the service would serve at these paths, once
 * their numbers are complete, or after the longest wait. Kept data is fetched again, once.
 */
export async function card(io: Io, args: readonly string[]): Promise<void> {
  const pairs = readPairs(args.filter((argument) => argument !== '--json'));
  const startedAt = new Date();
  const settings = readConfig(io.environment);
  const config = {
    ...settings,
    host: '127.0.0.1',
    port: 0,
    metricsPort: 0,
    lookupBudgetMs,
    freshForMs: Math.min(settings.freshForMs, freshForMs),
  };
  const log = createLog(config.logLevel === 'info' ? 'warn' : config.logLevel, linesForPeople(io.warn));
  const service = await startService(config, { log });
  const cards: ReportedCard[] = [];
  try {
    for (const { path, file } of pairs) {
      const { image, description, numbers } = await draw({ io, config, service, startedAt }, path, file);
      const changed = await writeIfChanged(file, image);
      cards.push({ path, file, changed, description, numbers });
      if (!args.includes('--json')) io.print(`${file} ${changed ? 'written' : 'is as it was'}`);
    }
    if (args.includes('--json')) {
      const report: Report = { cards, data_changed: await hasCompletedScan(service.database.connection, startedAt) };
      io.print(JSON.stringify(report));
    }
  } finally {
    await service.close();
  }
}

interface Drawing {
  io: Io;
  config: Config;
  service: Service;
  startedAt: Date;
}

function readPairs(texts: readonly string[]): { path: string; file: string }[] {
  const pairs = texts.flatMap((path, index) => (index % 2 === 0 ? [{ path, file: texts[index + 1] ?? '' }] : []));
  const areValid =
    pairs.length > 0 && pairs.every(({ path, file }) => path.startsWith('/v1/') && /\.(svg|png)$/.test(file));
  if (areValid) return pairs;
  throw new UsageError(
    'card needs pairs of an address and a file, like /v1/github/entities/NAME/contributions?theme=nord card.svg; files end with .svg or .png',
  );
}

/** Cards of these lists are about repositories that are installed. */
const ofFollowedList = /^(\/v1\/[^/]+\/entities\/[^/]+)\/(?:achievements|boards)(?:\/.*)?$/;

/** Installs the account of such a card. A database that a service uses has the installations of its operator. */
async function installOwner({ config, service }: Drawing, account: Account): Promise<void> {
  const { connection } = service.database;
  const installations = await listInstallations(connection);
  const isKnown = installations.some(
    (known) => known.provider === account.provider && known.account.externalId === account.externalId,
  );
  if (config.databaseUrl === undefined && !isKnown)
    await installAccount({ connection, now: () => new Date() }, account);
}

interface Drawn extends Pick<ReportedCard, 'description' | 'numbers'> {
  image: Buffer;
}

async function draw(drawing: Drawing, path: string, file: string): Promise<Drawn> {
  const { io, config, service } = drawing;
  const { connection } = service.database;
  const image = new URL(path, service.url);
  if (image.origin !== service.url) throw new UsageError(`${path} is not the address of an image`);
  image.searchParams.set('format', extname(file).slice(1));
  const [, , provider = '', , name = '', ...rest] = image.pathname.split('/');
  await requestUntilEnough(io, new URL(`/v1/${provider}/entities/${name}`, service.url), {}, () => true);
  const account = await findAccount(connection, provider, decodeURIComponent(name));
  const isOfRepository = rest[0] === 'repositories';
  const repository = isOfRepository ? decodeURIComponent(rest[1] ?? '') : image.searchParams.get('repository');
  const subject = { account, repository: repository ?? undefined };
  const isOfFollowedList = ofFollowedList.test(image.pathname);
  if (isOfFollowedList) await installOwner(drawing, account);
  await refreshKept(connection, subject, drawing.startedAt);
  // The command reads the database anyway, so private data may be drawn with a token of its owner.
  const isPrivate = image.searchParams.get('private') === 'true' || isOfRepository;
  const headers: Record<string, string> = isPrivate
    ? { authorization: `Bearer ${await ownersToken(service, config, account)}` }
    : {};
  const hasToken = config.providers.some(({ tokens }) => tokens.length > 0);
  const patience = patienceMs[hasToken ? 'withToken' : 'withoutToken'];
  await awaitRefresh(drawing, subject, patience);
  let numbers = '';
  for (const address of toNumberUrls(image)) {
    numbers = await requestUntilEnough(io, address, headers, (body) => body.includes('"complete":true'), patience);
  }
  if (isOfFollowedList) {
    await waitForJobs(connection, { deadline: performance.now() + patience, signal: io.signal });
    await service.catchUp();
    const address = new URL(image);
    address.searchParams.delete('format');
    numbers = await requestUntilEnough(io, address, headers, () => true);
  }
  // An image may show numbers that no list has, such as those of a window, and request them again when they are old.
  await fetch(image, { headers, signal: io.signal });
  for (const warning of await awaitRefresh(drawing, subject, patience)) io.warn(warning);
  const drawn = await fetch(image, { headers, signal: io.signal });
  // A PNG has no text.
  image.searchParams.set('format', 'svg');
  const described = file.endsWith('.svg') ? drawn.clone() : await fetch(image, { headers, signal: io.signal });
  const description = readDescription(await described.text());
  if (drawn.status !== 200 || drawn.headers.has('x-error-code'))
    throw new AppError('invalid_input', `${path} cannot be drawn: ${description}`);
  return { image: Buffer.from(await drawn.arrayBuffer()), description, numbers: readItems(numbers) };
}

/**
 * Waits for the lookups of a card, and until this process sees their results.
 * @returns a sentence for each that failed or takes too long.
 */
async function awaitRefresh({ io, service }: Drawing, subject: CardSubject, patience: number): Promise<string[]> {
  const waiting = { deadline: performance.now() + patience, signal: io.signal };
  const left = await waitForLookups(service.database.connection, subject, waiting);
  await service.catchUp();
  const name = [subject.account.name, ...(subject.repository === undefined ? [] : [subject.repository])].join('/');
  return left.map(
    ({ errorCode, state }) =>
      `${name} could not be fetched again (${errorCode ?? state}); the image shows what is known`,
  );
}

function readItems(json: string): unknown {
  const { data } = toFields(JSON.parse(json));
  return data;
}

/** The lists of an account, in order, that are complete when the numbers of a card of `contributions` are. */
const numbersOfCards: Readonly<Record<ContributionsCard, readonly string[]>> = {
  contributions: ['contributions'],
  calendar: ['contributors'],
  streak: ['contributors'],
  languages: ['contributors', 'contributions/languages'],
};

/** Returns the addresses at which the numbers of an image are served as JSON. */
function toNumberUrls(image: URL): URL[] {
  const chosen = image.searchParams.get('card');
  const lists = Object.entries(numbersOfCards).find(([card]) => card === chosen)?.[1] ?? numbersOfCards.contributions;
  return lists.map((list) => {
    const path = image.pathname
      .replace(/badges\/community$/, 'contributors')
      .replace(/contributions$/, list)
      .replace(ofFollowedList, '$1/contributors');
    const numbers = new URL(path, image);
    for (const name of ['private', 'repository']) {
      const value = image.searchParams.get(name);
      if (value !== null) numbers.searchParams.set(name, value);
    }
    return numbers;
  });
}

/**
 * Repeats a request until `isEnough` accepts the response. After `patience` ms it accepts an incomplete response, and
 * warns of it.
 * @returns the body of the response.
 * @throws AppError `invalid_input` when the request is refused, `provider_unavailable` when it still fails at the end.
 */
async function requestUntilEnough(
  io: Io,
  address: URL,
  headers: Record<string, string>,
  isEnough: (body: string) => boolean,
  patience = lookupBudgetMs,
): Promise<string> {
  const deadline = performance.now() + patience;
  for (;;) {
    const response = await fetch(address, { headers, signal: io.signal });
    const text = await response.text();
    if (response.status === 200 && isEnough(text)) return text;
    if (response.status >= 400 && response.status < 500 && response.status !== 429)
      throw new AppError('invalid_input', readDescription(text));
    if (performance.now() > deadline) {
      if (response.status >= 400) throw new AppError('provider_unavailable', readDescription(text));
      io.warn(`${address.pathname} is not complete; the image says so`);
      return text;
    }
    await wait(pollMs, undefined, { signal: io.signal });
  }
}

async function findAccount(connection: Connection, provider: string, name: string): Promise<Account> {
  const holder = await findByName(connection, provider, name);
  if (holder === undefined || holder.state === 'deleted')
    throw new AppError('not_found', `${provider} knows no account called ${name}`);
  return holder.account;
}

function ownersToken(service: Service, config: Config, account: Account): Promise<string> {
  const context = {
    connection: service.database.connection,
    now: () => new Date(),
    newSigningKey: generateSigningKey,
    tokenTtlMs: config.tokenTtlMs,
    publicUrl: () => config.publicUrl ?? service.url,
  };
  return issueToken(context, account, `card:${uuidv7()}`);
}

/** Returns the message of an error response, which is JSON or an image. */
function readDescription(text: string): string {
  return (
    /"message":"([^"]*)"|<desc[^>]*>([^<]*)</
      .exec(text)
      ?.slice(1)
      .find((found) => found !== undefined) ?? 'unknown'
  );
}

/**
 * Writes a file unless it contains the same image, so that its time stays and there is nothing to commit.
 * @returns true when the file was written.
 */
async function writeIfChanged(file: string, image: Buffer): Promise<boolean> {
  const before = await readFile(file).catch(() => undefined);
  if (before?.equals(image)) return false;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, image);
  return true;
}
