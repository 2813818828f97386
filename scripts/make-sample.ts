import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSimulator } from '../simulators/github/simulator.ts';
import { addIssue } from '../simulators/world/activity.ts';
import { namedAccounts } from '../simulators/world/cast.ts';
import { generateWorld } from '../simulators/world/generate.ts';
import { Random } from '../simulators/world/random.ts';
import { addHistory } from '../simulators/world/real-history.ts';
import type { World } from '../simulators/world/world.ts';
import { exportTo } from '../src/commands/backup.ts';
import { readConfig } from '../src/config/config.ts';
import { type Core, openCore } from '../src/core.ts';
import { createLog } from '../src/log.ts';
import { collectAccount } from '../src/sync/collect.ts';
import { newCost } from '../src/sync/context.ts';
import { lookUp } from '../src/sync/look-up.ts';

/**
 * Makes sample/sample.ndjson.gz, which `plaudit sample` and `npm run demo` use: the data that the service collects of a
 * made-up world, with the history of a real repository in it. The result holds no real person's name, address or id.
 */

const file = fileURLToPath(new URL('../sample/sample.ndjson.gz', import.meta.url));
const firstDay = Date.parse('2026-11-01T12:00:00Z');
const days = 14;
const dayMs = 86_400_000;
let at = firstDay;
const now = (): Date => new Date(at);

const world = await generateWorld({ seed: 7, size: 'small', now });
const garden = world.accountByLogin(namedAccounts.organization);
if (garden === undefined) throw new Error('the world has no organization');
const everybody = world.accounts.filter(({ type, isDeleted }) => type === 'User' && !isDeleted);
await addHistory(world, new Random(7), garden, 'serverpod', everybody);
giveSampleNames(world);

await using simulator = await startSimulator({ world, now, limits: { graphql: 100_000, graphqlPerMinute: 100_000 } });
const dataDir = await mkdtemp(join(tmpdir(), 'plaudit-sample-'));
const environment = {
  DATA_DIR: dataDir,
  GITHUB_URL: simulator.url,
  GITHUB_API_URL: simulator.apiUrl,
  GITHUB_TOKEN: simulator.tokens.public_only,
};
try {
  const core = await openCore(
    readConfig(environment, () => ''),
    { log: createLog('warn'), now },
  );
  await collectEverything(core);
  await removeTraces(core);
  await core.close();
  const signal = new AbortController().signal;
  await exportTo({ environment, print: console.log, warn: console.error, isTerminal: false, signal }, file);
} finally {
  await rm(dataDir, { recursive: true, force: true });
}

function giveSampleNames(world: World): void {
  const names: Record<string, string> = {
    [namedAccounts.user]: 'sample-ada',
    ada: 'sample-ada-junior',
    [namedAccounts.organization]: 'sample-garden',
  };
  let gardeners = 0;
  for (const account of world.accounts) {
    account.nextLogin = null;
    const isMadeUp = account.id < 100_000 && !account.login.startsWith('committer-');
    if (!isMadeUp) gardeners += 1;
    const plain = isMadeUp ? account.login.replace(/\[bot\]$/, '') : `gardener-${gardeners}`;
    const login = names[account.login] ?? `sample-${plain}`;
    account.login = account.type === 'Bot' ? `${login}[bot]` : login;
  }
  world.changed();
}

/** Fetches all accounts day by day, so that there is a history to show, and collects all contributors. */
async function collectEverything(core: Core): Promise<void> {
  const call = { urgency: 'background', signal: new AbortController().signal, cost: newCost() } as const;
  const work = { call, onProgress: () => {} };
  const owners = ['sample-ada', 'sample-garden', `sample-${namedAccounts.heavy}`];
  const ada = world.accountByLogin('sample-ada');
  const notes = world.repository('sample-ada', 'notes');
  for (let day = 0; day < days; day += 1) {
    at = firstDay + day * dayMs;
    if (ada !== undefined && notes !== undefined && day % 3 !== 0) addIssue(world, notes, { author: ada });
    for (const name of owners) {
      const id = await lookUp(core.sync, { provider: 'github', name }, call);
      if (id !== undefined) await collectAccount(core.sync, id, work, undefined);
    }
  }
  const others = world.accounts.filter(({ type, isDeleted }) => type === 'User' && !isDeleted);
  for (const { login } of others) await lookUp(core.sync, { provider: 'github', name: login }, call);
}

/** Replaces ids, avatars and addresses of made-up accounts, so that they cannot be taken for those of real ones. */
async function removeTraces({ database }: Core): Promise<void> {
  for (const statement of [
    `update accounts set external_id = 'sample-' || external_id, handle = 'sample-' || handle, pinned = true,
      provider_memory = null, avatar_url = 'https://github.githubassets.com/images/gravatars/gravatar-user-420.png'`,
    `update repositories set external_id = 'sample-' || external_id, handle = 'sample-' || handle`,
    `update identities set email = 'identity-' || id || '@sample.invalid'`,
  ]) {
    await database.pool.query(statement);
  }
}
