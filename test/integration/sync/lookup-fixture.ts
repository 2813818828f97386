import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../simulators/github/simulator.ts';
import type { TokenName } from '../../../simulators/github/tokens.ts';
import { findByName, type NameHolder } from '../../../src/accounts/store.ts';
import { type CountersOfDay, findHistory } from '../../../src/contributions/totals/counter-store.ts';
import { createGitHubProvider } from '../../../src/hosts/github/provider.ts';
import type { Call } from '../../../src/hosts/interface/provider.ts';
import { newCost, type SyncContext } from '../../../src/sync/context.ts';
import { lookUp, refresh } from '../../../src/sync/lookups/look-up.ts';
import type { Skip } from '../../../src/sync/streams/skip-store.ts';
import { reuseTestDatabase } from '../../reused-database.ts';

const provider = 'github';

/** A simulated GitHub and a database, into which lookups store without a service, a queue and workers. */
export interface LookupFixture extends AsyncDisposable {
  simulator: Simulator;
  /** Parts of responses that were skipped. */
  skips: Skip[];
  /**
   * Looks up a name as its job does.
   * @returns the account that has or had the name then.
   * @throws AppError that callers of the service receive.
   */
  lookUp(name: string): Promise<NameHolder | undefined>;
  /** Refreshes an account as its job does. */
  refresh(accountId: string): Promise<void>;
  find(name: string): Promise<NameHolder | undefined>;
  /** Returns the newest stored counters of a name. */
  counters(name: string): Promise<CountersOfDay>;
}

export async function openLookupFixture(
  options: Partial<SimulatorOptions> & { tokenNames?: readonly TokenName[] } = {},
): Promise<LookupFixture> {
  const { tokenNames = ['public_only'], ...world } = options;
  const { now = () => new Date() } = world;
  await using stack = new AsyncDisposableStack();
  const simulator = stack.use(await startSimulator(world));
  const { connection } = stack.use(await reuseTestDatabase()).database;
  const { url, apiUrl, tokens } = simulator;
  const github = createGitHubProvider({
    name: provider,
    url,
    apiUrl,
    tokens: tokenNames.map((name) => tokens[name]),
    webhookSecret: undefined,
    app: undefined,
    connectTimeoutMs: 2000,
    now,
  });
  stack.defer(() => github.close());
  const skips: Skip[] = [];
  const context = {
    connection,
    providers: new Map([[provider, github]]),
    freshForMs: 3_600_000,
    now,
    newId: uuidv7,
    onSkip: (skip: Skip) => void skips.push(skip),
  } as unknown as SyncContext;
  const call = (): Call => ({ urgency: 'interactive', signal: new AbortController().signal, cost: newCost() });
  const find = (name: string): Promise<NameHolder | undefined> => findByName(connection, provider, name);
  const started = stack.move();
  return {
    simulator,
    skips,
    lookUp: async (name) => {
      await lookUp(context, { provider, name }, call());
      return find(name);
    },
    refresh: (accountId) => refresh(context, accountId, call()),
    find,
    counters: async (name) => {
      const { account } = (await find(name)) ?? assert.fail(`${name} is not stored`);
      const [newest] = await findHistory(connection, account.id, { limit: 1 });
      return newest ?? assert.fail(`${name} has no counters`);
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
