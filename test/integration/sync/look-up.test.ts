import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { startGitLabSimulator } from '../../../simulators/gitlab/simulator.ts';
import { newCost, type SyncContext } from '../../../src/sync/context.ts';
import { lookUp } from '../../../src/sync/look-up.ts';
import { createContractWorld } from '../../contract/world.ts';
import { openTestDatabase } from '../../database.ts';
import { gitlabProvider } from '../providers/gitlab/gitlab-provider.ts';

/** Looks up a person of a simulated GitLab, while one field of the response of an operation is unreadable. */
async function lookUpWith(operation: string, change: (user: Record<string, unknown>) => void): Promise<string> {
  const { world, people, now } = createContractWorld();
  await using opened = await openTestDatabase();
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
  const context = {
    connection,
    providers: new Map([['gitlab', provider]]),
    freshForMs: 3_600_000,
    now,
    newId: uuidv7,
    onFailure: (error: unknown) => assert.fail(String(error)),
  } as unknown as SyncContext;
  const call = { urgency: 'interactive', signal: new AbortController().signal, cost: newCost() } as const;
  await assert.rejects(lookUp(context, { provider: 'gitlab', name: people.ada.login }, call), {
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

describe('a lookup with an unreadable response', () => {
  it('does not take an account for absent whose id cannot be read', async () => {
    const message = await lookUpWith('/users', (user) => Object.assign(user, { id: 2 ** 53 }));
    assert.match(message, /cannot be read at .*\/id/);
  });

  it('does not take an account for hidden whose followers cannot be read', async () => {
    const message = await lookUpWith('/users/:id', (user) => Object.assign(user, { followers: 2 ** 31 }));
    assert.match(message, /cannot be read at .*\/followers/);
  });
});
