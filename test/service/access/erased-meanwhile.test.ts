import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { findByName } from '../../../src/accounts/store.ts';
import { eraseNext } from '../../../src/app/owners/erasure/erase.ts';
import { beginErasure } from '../../../src/app/owners/erasure/store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { sampled } from '../../depth.ts';
import type { TestService } from '../../e2e/service.ts';
import { engines, jsonRequest } from '../../integration/access/owner.ts';
import { startStoredService, storedRepositories } from '../http/stored-service.ts';
import { interruptWrites } from './interrupted-writes.ts';
import { findOwner, ownerWrites } from './owner-writes.ts';

interface Operation {
  operationId: string;
  security?: object[];
}

const parameters: Record<string, string> = { provider: 'github', name: engines.name, repository: 'engine-1' };

/** Returns the operations that need a credential of an owner. */
async function findOperations(service: TestService): Promise<{ method: string; path: string; operationId: string }[]> {
  const { paths } = JSON.parse((await service.get('/openapi.json')).text) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const all = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => Object.assign(operation, { method, path })),
  );
  return all.filter(
    ({ method, security = [] }) =>
      method !== 'head' && security.length > 0 && security.every((scheme) => Object.keys(scheme).length > 0),
  );
}

/** Erases the organization as a whole, as its owner and the job after it do. */
async function erase(connection: Connection): Promise<void> {
  const now = new Date();
  const found = await findByName(connection, 'github', engines.name);
  assert.ok(found?.state === 'present');
  const { account } = found;
  await inTransaction(connection, (transaction) => beginErasure(transaction, account, now));
  for (let removed = 1; removed > 0; ) removed = await eraseNext(connection, now);
  const left = await connection.selectFrom('accounts').select('name').where('id', '=', account.id).execute();
  assert.deepEqual(left, []);
}

describe('requests of owners whose account is erased meanwhile', () => {
  it('are tested for each route that takes a credential of an owner and stores something', async () => {
    using interrupted = interruptWrites();
    await using simulator = await startSimulator({ repositories: storedRepositories });
    await using service = await startStoredService({ simulator, holdsWorld: true });
    const { token } = await findOwner(service, simulator);
    for (const { method, path, operationId } of await findOperations(service)) {
      if (ownerWrites[operationId] !== undefined) continue;
      const interruption = { after: 0, make: async () => {}, isMade: false };
      interrupted.next(interruption);
      const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? 'unknown');
      await service.get(url, jsonRequest(method.toUpperCase(), token, method === 'post' ? {} : undefined));
      assert.ok(!interruption.isMade, `${operationId} stores something`);
    }
  });

  for (const [operationId, { prepare, after = 0, status = 404 }] of sampled(Object.entries(ownerWrites), 5)) {
    it(`get a documented error, not a fault of the service: ${operationId}`, async () => {
      // Connections that are open already are not interrupted.
      using interrupted = interruptWrites();
      await using simulator = await startSimulator({ repositories: storedRepositories });
      await using service = await startStoredService({ simulator, holdsWorld: true });
      const request = await prepare(await findOwner(service, simulator));
      const erasure = { after, make: () => erase(service.database.connection), isMade: false };
      interrupted.next(erasure);
      const response = await request();
      assert.ok(erasure.isMade, 'the request stores nothing');
      assert.equal(response.status, status, response.text);
      if (status === 404) assert.equal(response.body.error?.type, 'not_found');
    });
  }
});
