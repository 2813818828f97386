import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { startGitLabSimulator } from '../../../simulators/gitlab/simulator.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import type { Call, Provider } from '../../../src/hosts/interface/provider.ts';
import { newCost, type SyncContext, type Work } from '../../../src/sync/context.ts';
import { lookUp, refresh } from '../../../src/sync/lookups/look-up.ts';
import { collectAccount, collectNamedRepository } from '../../../src/sync/streams/collect.ts';
import { createContractWorld } from '../../contract/world.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { gitlabProvider } from '../providers/gitlab/gitlab-provider.ts';

const toCall = (urgency: Call['urgency']): Call => ({
  urgency,
  signal: new AbortController().signal,
  cost: newCost(),
});
const work: Work = { firstCall: toCall('interactive'), call: toCall('bulk'), onProgress: () => {} };

/** Returns the parts of the context that lookups use. */
function createContext(connection: Connection, provider: Provider, now: () => Date): SyncContext {
  return {
    connection,
    providers: new Map([['gitlab', provider]]),
    freshForMs: 3_600_000,
    now,
    newId: uuidv7,
    onFailure: (error: unknown) => assert.fail(String(error)),
  } as unknown as SyncContext;
}

/** Looks up a person of a simulated GitLab, while one field of the response of an operation is unreadable. */
async function lookUpWith(operation: string, change: (user: Record<string, unknown>) => void): Promise<string> {
  const { world, people, now } = createContractWorld();
  await using opened = await reuseTestDatabase();
  const { connection, pool } = opened.database;
  await using simulator = await startGitLabSimulator({
    world,
    rewrite: (exchange) => {
      if (exchange.operation !== operation) return exchange.body;
      const body = structuredClone(exchange.body) as Record<string, unknown> | Record<string, unknown>[];
      for (const user of [body].flat()) change(user);
      return body;
    },
  });
  await using provider = gitlabProvider(simulator, { now, tokens: [simulator.tokens.public_only] });
  const context = createContext(connection, provider, now);
  await assert.rejects(lookUp(context, { provider: 'gitlab', name: people.ada.login }, toCall('interactive')), {
    code: 'provider_invalid_response',
  });
  const { rows } = await pool.query<{ state: string; message: string }>(
    'select state, error_message as message from lookups',
  );
  assert.equal(rows[0]?.state, 'failed');
  const accounts = await pool.query('select from accounts');
  assert.equal(accounts.rowCount, 0);
  return rows[0].message;
}

describe('tolerance of unreadable responses to a lookup', () => {
  it('does not take an account for absent whose id cannot be read', async () => {
    const message = await lookUpWith('/users', (user) => Object.assign(user, { id: 2 ** 53 }));
    assert.match(message, /cannot be read at .*\/id/);
  });

  it('does not take an account for hidden whose followers cannot be read', async () => {
    const message = await lookUpWith('/users/:id', (user) => Object.assign(user, { followers: 2 ** 31 }));
    assert.match(message, /cannot be read at .*\/followers/);
  });
});

/** Runs work at a simulated GitLab that limits every request for 50 s. @returns the lookups and jobs that are stored. */
async function runWhileLimited(
  work: (context: SyncContext, accountId: string) => Promise<unknown>,
): Promise<{ lookups: object[]; jobs: object[] }> {
  const { world, people, now } = createContractWorld();
  await using opened = await reuseTestDatabase();
  const { connection, pool } = opened.database;
  await using simulator = await startGitLabSimulator({ world });
  await using provider = gitlabProvider(simulator, { now, tokens: [simulator.tokens.public_only] });
  const context = createContext(connection, provider, now);
  const id = await lookUp(context, { provider: 'gitlab', name: people.ada.login }, toCall('interactive'));
  simulator.overrides.push(() => ({ status: 429, body: '', headers: { 'retry-after': '50' } }));
  await assert.rejects(work(context, id ?? assert.fail()), { code: 'provider_rate_limited' });
  const lookups = await pool.query<{ key: string; state: string }>(
    `select replace(key, $1, 'ID') as key, state from lookups`,
    [id],
  );
  const jobs = await pool.query<{ key: string; urgency: string }>(
    `select replace(key, $1, 'ID') as key, payload ->> 'urgency' as urgency from graphile_worker._private_jobs
     where run_at > now() + interval '40 seconds'`,
    [id],
  );
  return { lookups: lookups.rows, jobs: jobs.rows };
}

describe('repetition of lookups that a limit of the host delays', () => {
  it('happens by a job of the same urgency', async () => {
    assert.deepEqual(
      await runWhileLimited((context) => lookUp(context, { provider: 'gitlab', name: 'x' }, toCall('owner'))),
      {
        lookups: [{ key: 'look_up gitlab/x', state: 'delayed_by_quota' }],
        jobs: [{ key: 'look_up gitlab/x', urgency: 'owner' }],
      },
    );
    const collectOne = (context: SyncContext, accountId: string) =>
      collectNamedRepository(context, { accountId, repository: 'x', withPrivate: false }, work);
    assert.deepEqual(await runWhileLimited(collectOne), {
      lookups: [{ key: 'collect_repository ID/x', state: 'delayed_by_quota' }],
      jobs: [{ key: 'collect_repository ID/x', urgency: 'interactive' }],
    });
    assert.deepEqual(
      await runWhileLimited((context, accountId) => collectAccount(context, accountId, work, undefined)),
      {
        lookups: [{ key: 'collect ID', state: 'delayed_by_quota' }],
        jobs: [{ key: 'collect ID', urgency: 'interactive' }],
      },
    );
  });

  it('leaves a refresh to the next request for the account', async () => {
    assert.deepEqual(await runWhileLimited((context, accountId) => refresh(context, accountId, toCall('owner'))), {
      lookups: [{ key: 'refresh ID', state: 'failed' }],
      jobs: [],
    });
  });
});
