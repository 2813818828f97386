import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { issueToken } from '../../accounts/access/tokens/issue.ts';
import { generateSigningKey } from '../../accounts/access/tokens/signing-key-store.ts';
import { findByName } from '../../accounts/store.ts';
import type { ContributionsCard } from '../../contributions/routes.ts';
import { AppError } from '../../model/errors.ts';
import { createLog, linesForPeople } from '../../model/log.ts';
import { type Service, startService } from '../app.ts';
import { type Config, readConfig } from '../config/config.ts';
import { type Io, UsageError } from './io.ts';

/** The time budget of a lookup, in ms: longer than in the service, because no browser waits for the response. */
const lookupBudgetMs = 30_000;
const pollMs = 250;
/** The longest wait, in ms, for complete numbers; without a token, some never become complete. */
const patienceMs = { withToken: 600_000, withoutToken: 15_000 };

/**
 * `plaudit card PATH FILE [PATH FILE...]`: writes the images that the service would serve at these paths, once their
 * numbers are complete, or after the longest wait.
 */
export async function card(io: Io, args: readonly string[]): Promise<void> {
  const pairs = readPairs(args);
  const settings = readConfig(io.environment);
  const config = { ...settings, host: '127.0.0.1', port: 0, metricsPort: 0, lookupBudgetMs };
  const log = createLog(config.logLevel === 'info' ? 'warn' : config.logLevel, linesForPeople(io.warn));
  const service = await startService(config, { log });
  try {
    for (const { path, file } of pairs) {
      const image = await draw({ io, config, service }, path, file);
      const isChanged = await writeIfChanged(file, image);
      io.print(`${file} ${isChanged ? 'written' : 'is as it was'}`);
    }
  } finally {
    await service.close();
  }
}

interface Drawing {
  io: Io;
  config: Config;
  service: Service;
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

async function draw({ io, config, service }: Drawing, path: string, file: string): Promise<Buffer> {
  const image = new URL(path, service.url);
  if (image.origin !== service.url) throw new UsageError(`${path} is not the address of an image`);
  image.searchParams.set('format', extname(file).slice(1));
  const [, , provider = '', , name = '', ...rest] = image.pathname.split('/');
  const account = { provider, name: decodeURIComponent(name) };
  await requestUntilEnough(io, new URL(`/v1/${provider}/entities/${name}`, service.url), {}, () => true);
  const isPrivate = image.searchParams.get('private') === 'true' || rest[0] === 'repositories';
  // The command reads the database anyway, so private data may be drawn with a token of its owner.
  const headers: Record<string, string> = isPrivate
    ? { authorization: `Bearer ${await ownersToken(service, config, account)}` }
    : {};
  const hasToken = config.providers.some(({ tokens }) => tokens.length > 0);
  for (const numbers of toNumberUrls(image)) {
    await requestUntilEnough(
      io,
      numbers,
      headers,
      (body) => body.includes('"complete":true'),
      patienceMs[hasToken ? 'withToken' : 'withoutToken'],
    );
  }
  const response = await fetch(image, { headers, signal: io.signal });
  if (response.status === 200 && !response.headers.has('x-error-code'))
    return Buffer.from(await response.arrayBuffer());
  // A PNG has no text.
  image.searchParams.set('format', 'svg');
  const explained = await fetch(image, { headers, signal: io.signal });
  throw new AppError('invalid_input', `${path} cannot be drawn: ${readDescription(await explained.text())}`);
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
    const path = image.pathname.replace(/badges\/community$/, 'contributors').replace(/contributions$/, list);
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
 * @throws AppError `invalid_input` when the request is refused, `provider_unavailable` when it still fails at the end.
 */
async function requestUntilEnough(
  io: Io,
  address: URL,
  headers: Record<string, string>,
  isEnough: (body: string) => boolean,
  patience = lookupBudgetMs,
): Promise<void> {
  const deadline = performance.now() + patience;
  for (;;) {
    const response = await fetch(address, { headers, signal: io.signal });
    const text = await response.text();
    if (response.status === 200 && isEnough(text)) return;
    if (response.status >= 400 && response.status < 500 && response.status !== 429)
      throw new AppError('invalid_input', readDescription(text));
    if (performance.now() > deadline) {
      if (response.status >= 400) throw new AppError('provider_unavailable', readDescription(text));
      io.warn(`${address.pathname} is not complete; the image says so`);
      return;
    }
    await wait(pollMs, undefined, { signal: io.signal });
  }
}

async function ownersToken(
  service: Service,
  config: Config,
  { provider, name }: { provider: string; name: string },
): Promise<string> {
  const { connection } = service.database;
  const holder = await findByName(connection, provider, name);
  if (holder === undefined || holder.state === 'deleted')
    throw new AppError('not_found', `${provider} knows no account called ${name}`);
  const context = {
    connection,
    now: () => new Date(),
    newSigningKey: generateSigningKey,
    tokenTtlMs: config.tokenTtlMs,
    publicUrl: () => config.publicUrl ?? service.url,
  };
  return issueToken(context, holder.account, `card:${uuidv7()}`);
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
