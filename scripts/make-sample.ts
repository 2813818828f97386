import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createGunzip, createGzip } from 'node:zlib';
import { startSimulator } from '../simulators/github/simulator.ts';
import { namedAccounts } from '../simulators/world/cast.ts';
import { addAccount } from '../simulators/world/people.ts';
import { Random } from '../simulators/world/random.ts';
import { writeFile } from '../simulators/world/repository-changes.ts';
import { World } from '../simulators/world/world.ts';
import { generateSigningKey } from '../src/accounts/access/tokens/signing-key-store.ts';
import { findById } from '../src/accounts/store.ts';
import { exportTo } from '../src/app/commands/copy.ts';
import { sampleTime } from '../src/app/commands/sample.ts';
import { readConfig } from '../src/app/config/config.ts';
import { type Core, openCore } from '../src/app/core.ts';
import { startJobs } from '../src/app/jobs.ts';
import { createMetrics } from '../src/app/metrics.ts';
import { sampleTables } from '../src/database/copy/export.ts';
import { createLog } from '../src/model/log.ts';
import { rankBoard } from '../src/recognition/boards/ranking/rank-board.ts';
import { freezeSeasons } from '../src/recognition/boards/seasons/freeze.ts';
import { newCost } from '../src/sync/context.ts';
import { install } from '../src/sync/installations/operator.ts';
import { lookUp } from '../src/sync/lookups/look-up.ts';
import { collectAccount } from '../src/sync/streams/collect.ts';
import { wantFullScan } from '../src/sync/streams/stream-store.ts';
import { addCommunity, members, organizations, programs, toAddress } from './sample/community.ts';
import { boards, gardenAchievements, harbourAchievements } from './sample/files.ts';
import { encodeAvatars, encodeIcons } from './sample/images.ts';
import { storeLanguages } from './sample/languages.ts';
import { planLife, repositoryAt } from './sample/life.ts';
import { notificationStatements } from './sample/notifications.ts';
import { collectPrivate, planPrivate } from './sample/private.ts';
import { planPrograms } from './sample/programs.ts';

/**
 * Makes sample/sample.ndjson.gz, which `plaudit sample` and `npm run demo` use: the data that the service collects of an
 * invented community, and the images that it would fetch. The result holds no real person's name, address or id.
 */

const file = fileURLToPath(new URL('../sample/sample.ndjson.gz', import.meta.url));
/** The number of days with stored totals. */
const days = 21;
/** The boards are ranked this many days before the end for the first time, so that ranks can change until then. */
const rankedBefore = 6;
const dayMs = 86_400_000;
const settleForMs = 150_000;
let at = Date.parse('2023-02-01T00:00:00Z');
const now = (): Date => new Date(at);

const world = new World(now);
addCommunity(world);
// Programs have random numbers of their own, so that the events of people do not depend on them.
const happenings = [
  ...planLife(world, new Random(7), sampleTime),
  ...planPrograms(world, new Random(11), sampleTime),
].toSorted((one, other) => one.at - other.at);

await using simulator = await startSimulator({
  world,
  now,
  limits: { graphql: 1_000_000, graphqlPerMinute: 1_000_000 },
});
const dataDir = await mkdtemp(join(tmpdir(), 'plaudit-sample-'));
const environment = {
  DATA_DIR: dataDir,
  GITHUB_URL: simulator.url,
  GITHUB_API_URL: simulator.apiUrl,
  GITHUB_TOKEN: simulator.tokens.public_only,
};
const config = readConfig(environment, () => '');
const log = createLog('warn');
const call = { urgency: 'background', signal: new AbortController().signal, cost: newCost() } as const;
try {
  const core = await openCore(config, { log, now });
  addFiles();
  await collectDays(core, { first: days - 1, last: rankedBefore });
  await installForOrganizations(core);
  await settle(core, { seasons: 0 });
  await collectDays(core, { first: rankedBefore - 1, last: 0 });
  await readInstalledAgain(core);
  await rankBoards(core);
  await settle(core, { seasons: 2 });
  await core.close();
  const tables = await addPrivateAndImages();
  const signal = new AbortController().signal;
  const exported = join(dataDir, 'exported.gz');
  await exportTo({ environment, print: console.log, warn: console.error, isTerminal: false, signal }, exported);
  await pipeline(
    Readable.from(withTables(exported, tables)),
    createGzip({ level: 9 }),
    createWriteStream(`${file}.new`),
  );
  await rename(`${file}.new`, file);
} finally {
  await rm(dataDir, { recursive: true, force: true });
}

/** Collects the private repositories, and completes the sample. @returns the rows of the tables that exports do not contain. */
async function addPrivateAndImages(): Promise<Map<string, string[]>> {
  const reader = addAccount(world, { login: namedAccounts.user, name: 'Reader', createdAt: new Date(sampleTime) });
  happenings.push(...planPrivate(world, new Random(13), sampleTime, reader));
  liveUntil(sampleTime);
  const { user } = simulator.tokens;
  const core = await openCore(
    readConfig({ ...environment, GITHUB_TOKEN: user }, () => ''),
    { log, now },
  );
  await collectPrivate(core, { call, onProgress: () => {} });
  await removeTraces(core);
  await storeLanguages(core.database.connection);
  await storeImages(core);
  const tables = await readSampleTables(core);
  await core.close();
  return tables;
}

/** Lets the world live until a time. */
function liveUntil(time: number): void {
  for (let next = happenings[0]; next !== undefined && next.at <= time; next = happenings[0]) {
    at = next.at;
    next.happen();
    happenings.shift();
  }
  at = time;
}

/** Adds the files that define achievements and boards. */
function addFiles(): void {
  liveUntil(sampleTime - days * dayMs);
  const author = { name: 'Ada Fernwood', email: toAddress('sample-ada') };
  writeFile(world, repositoryAt(world, 'sample-garden/seedbook'), '.plaudit/config.yaml', gardenAchievements, author);
  writeFile(world, repositoryAt(world, 'sample-garden/seedbook'), '.plaudit/boards.yaml', boards, author);
  writeFile(
    world,
    repositoryAt(world, 'sample-harbour/lighthouse'),
    '.plaudit/config.yaml',
    harbourAchievements,
    author,
  );
}

/**
 * Fetches the totals of the owners day by day, so that there is a history to show, and looks all people up.
 * @param first and `last`: the numbers of days before the end.
 */
async function collectDays(core: Core, { first, last }: { first: number; last: number }): Promise<void> {
  const owners = ['sample-ada', 'sample-mira', ...organizations.map(({ login }) => login)];
  // At the end all have pages with a calendar and an avatar.
  const everyone = [...members, ...Object.values(programs), ...organizations].map(({ login }) => login);
  for (let day = first; day >= last; day -= 1) {
    liveUntil(sampleTime - day * dayMs);
    for (const { login } of members) await lookUp(core.sync, { provider: 'github', name: login }, call);
    for (const name of day === 0 ? everyone : owners) await collect(core, name);
  }
}

async function collect(core: Core, name: string): Promise<void> {
  const id = await lookUp(core.sync, { provider: 'github', name }, call);
  if (id === undefined) throw new Error(`${name} was not found`);
  await collectAccount(core.sync, id, { call, onProgress: () => {} }, undefined);
}

/** Installs the service for the organizations, and reads what installed repositories are read for, before a season is frozen. */
async function installForOrganizations(core: Core): Promise<void> {
  const provider = core.providers.get('github');
  if (provider === undefined) throw new Error('GitHub is not configured');
  for (const { login } of organizations) {
    const id = await lookUp(core.sync, { provider: 'github', name: login }, call);
    const account = id === undefined ? undefined : await findById(core.database.connection, id);
    if (account === undefined) throw new Error(`${login} was not found`);
    await install(core.sync, { account, provider, repository: undefined }, call);
    await collect(core, login);
  }
}

/** Runs jobs until the awards, the rankings and a number of frozen seasons are stored. */
async function settle(core: Core, { seasons }: { seasons: number }): Promise<void> {
  const { registry, onJobEnd } = createMetrics();
  const jobs = await startJobs(config, core, { registry, log, onEnd: onJobEnd, pollMs: 100 });
  const publicUrl = (): string => 'https://plaudit.sample.invalid';
  const services = {
    ...core.sync,
    newSigningKey: generateSigningKey,
    credentialAlgorithm: config.credentialAlgorithm,
    publicUrl,
  };
  const waitUntil = Date.now() + settleForMs;
  for (;;) {
    await wait(2000);
    const counts = await countWork(core);
    const isRanked = counts.jobs === 0 && counts.awards > 0 && counts.boards > 1;
    if (isRanked && seasons > 0) await freezeSeasons(services);
    if (counts.incomplete > 0) throw new Error('a season was frozen before its data was collected; try again');
    if (isRanked && counts.seasons >= seasons) break;
    if (Date.now() > waitUntil) throw new Error(`the sample does not settle: ${JSON.stringify(counts)}`);
  }
  await jobs.stop();
  await jobs.close();
}

/** Reads all of the installed repositories again, so that also quiet ones are known as of the end. */
async function readInstalledAgain(core: Core): Promise<void> {
  const { pool, connection } = core.database;
  const streams = ['issues', 'pull_requests', 'discussions'];
  const { rows } = await pool.query<{ id: string }>('select id from repositories where installed_at is not null');
  for (const { id } of rows) await wantFullScan(connection, id, streams, now());
  for (const { login } of organizations) await collect(core, login);
}

/** Ranks the boards by the contributions that were collected since the last ranking. */
async function rankBoards({ database }: Core): Promise<void> {
  const { rows } = await database.pool.query<{ id: string }>('select board_id as id from board_rankings');
  for (const { id } of rows) await rankBoard({ connection: database.connection, now }, id);
}

async function countWork(core: Core): Promise<Record<'jobs' | 'awards' | 'boards' | 'seasons' | 'incomplete', number>> {
  const { rows } = await core.database.pool.query(
    `select (select count(*) from graphile_worker.jobs where run_at <= now() and attempts < max_attempts)::int as jobs,
      (select count(*) from awards)::int as awards, (select count(*) from board_rankings)::int as boards,
      (select count(*) from board_seasons where statement is not null)::int as seasons,
      (select count(*) from board_seasons where missing <> '{}')::int as incomplete`,
  );
  return rows[0];
}

/**
 * Replaces ids, avatars and addresses of accounts, so that they cannot be taken for those of real ones, and adds messages
 * that no job sends.
 */
async function removeTraces({ database }: Core): Promise<void> {
  for (const statement of [
    `update accounts set external_id = 'sample-' || external_id, handle = 'sample-' || handle, pinned = true,
      provider_memory = null, avatar_url = 'https://avatars.sample.invalid/' || name || '.png'`,
    `update repositories set external_id = 'sample-' || external_id, handle = 'sample-' || handle`,
    // The credential that showed them does not exist where the sample is served.
    'update repositories set credential_name = null where is_private',
    `update covered_repositories set repository_external_id = 'sample-' || repository_external_id`,
    `update installations set account_external_id = 'sample-' || account_external_id`,
    `update identities set email = 'identity-' || id || '@sample.invalid'`,
    ...notificationStatements(),
  ]) {
    await database.pool.query(statement);
  }
}

/** Stores the drawn images as if they had been fetched, for good. */
async function storeImages({ database, providers }: Core): Promise<void> {
  const store = (url: string, { small, large }: { small: Buffer; large: Buffer }, repository: string | null) =>
    database.pool.query(
      `insert into images (url, small, large, failures, refresh_at, used_at, repository_id)
       select $1, $2, $3, 0, '2999-01-01', '2999-01-01', (select r.id from repositories r join accounts a on a.id = r.owner_id
         where a.name || '/' || r.name = $4)`,
      [url, small, large, repository],
    );
  for (const [login, image] of await encodeAvatars()) {
    await store(`https://avatars.sample.invalid/${login}.png`, image, null);
  }
  const host = providers.get('github');
  for (const [path, image] of await encodeIcons()) {
    const owner = path.endsWith('light.png') ? 'sample-harbour' : 'sample-garden';
    const name = path.endsWith('light.png') ? 'lighthouse' : 'seedbook';
    const url = host?.files?.toUrl({ owner, name } as never, path).replace(simulator.url, 'https://github.com') ?? '';
    await store(url, image, `${owner}/${name}`);
  }
}

/** Returns the rows of the tables that exports do not contain. */
async function readSampleTables({ database }: Core): Promise<Map<string, string[]>> {
  const tables = new Map<string, string[]>();
  for (const table of sampleTables) {
    const { rows } = await database.pool.query<{ row: string }>(`select to_jsonb(t)::text as row from ${table} t`);
    tables.set(
      table,
      rows.map(({ row }) => row),
    );
  }
  return tables;
}

async function* withTables(path: string, tables: ReadonlyMap<string, readonly string[]>): AsyncGenerator<string> {
  for await (const line of createInterface({ input: createReadStream(path).pipe(createGunzip()) })) yield `${line}\n`;
  for (const [table, rows] of tables) {
    yield `${JSON.stringify({ table })}\n`;
    for (const row of rows) yield `${row}\n`;
  }
}
