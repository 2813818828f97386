import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { outbox, webhookSecret } from '../../../simulators/github/deliver.ts';
import { type Simulator, startSimulator } from '../../../simulators/github/simulator.ts';
import { addIssue } from '../../../simulators/world/activity.ts';
import { collectJob } from '../../../src/contributions/items/jobs.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { delayLookup } from '../../../src/database/queue/lookups.ts';
import { newAppliers, type SyncContext } from '../../../src/sync/context.ts';
import { applyDeliveries } from '../../../src/sync/deliveries/apply-deliveries.ts';
import { send } from '../../e2e/raw-request.ts';
import type { TestService } from '../../e2e/service.ts';
import {
  ada,
  bearer,
  engines,
  fromOwnAddress,
  jsonRequest,
  keeper,
  serviceToken,
} from '../../integration/access/owner.ts';
import { startStoredService } from '../http/stored-service.ts';

interface Status {
  as_of: string | null;
  repositories: { as_of: string | null; count: number; installed: number; complete: number; progress: object | null };
  streams: {
    oldest_as_of: string | null;
    count: number;
    complete: number;
    failing: number;
    items: {
      repository_name: string;
      name: string;
      complete: boolean;
      failure: { reason: string; message: string; since_dttm: string };
    }[];
  };
  skipped_items: { count: number; items: { repository_name: string | null; path: string; reason: string }[] };
  deliveries: { pending: number; failed: number; last_applied_dttm: string | null };
  notifications: { waiting: number; failed: number; oldest_waiting_dttm: string | null };
}

/** A host's message with facts about the operator. */
const hostsWords = 'the organization has an IP allow list enabled, and 203.0.113.9 is not permitted';

interface Fixture extends AsyncDisposable {
  simulator: Simulator;
  service: TestService;
  tokens: Record<'engines' | 'keeper', string>;
  status: (owner: { name: string }, token: string, query?: string) => Promise<Status>;
}

/** Stores an organization and a user who both own something private. */
async function openFixture(): Promise<Fixture> {
  await using stack = new AsyncDisposableStack();
  const simulator = stack.use(await startSimulator({ repositories: 1 }));
  const settings = { GITHUB_WEBHOOK_SECRET: webhookSecret, TRUST_PROXY: 'loopback' };
  const service = stack.use(
    await startStoredService({
      simulator,
      holdsWorld: true,
      settings,
      tokens: ['organization_admin', 'private_owner'],
    }),
  );
  const tokens = {
    engines: await serviceToken(service, simulator, engines),
    keeper: await serviceToken(service, simulator, keeper),
  };
  const status: Fixture['status'] = async ({ name }, token, query = '') => {
    const response = await service.get(`${name}/status${query}`, fromOwnAddress(bearer(token)));
    assert.equal(response.status, 200, response.text);
    return response.body.data as unknown as Status;
  };
  const parts = stack.move();
  return { simulator, service, tokens, status, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** Returns the parts of the context that applying deliveries uses. */
function createContext({ database, service }: TestService): SyncContext {
  return {
    connection: database.connection,
    providers: service.providers,
    now: () => new Date(),
    newId: uuidv7,
    appliers: newAppliers(),
    onFailure: (error: unknown) => assert.fail(String(error)),
  } as unknown as SyncContext;
}

async function failStream({ database }: TestService, repository: string): Promise<void> {
  await database.pool.query(
    `update streams s set failure = 'provider_denied', failed_at = now(), failing_since = '2026-03-01T12:00:00Z',
       failure_reason = $2
     from repositories r where r.id = s.repository_id and r.name = $1 and s.name = 'issues'`,
    [repository, hostsWords],
  );
}

async function skipItem({ database }: TestService, repository: string, path: string): Promise<void> {
  await database.pool.query(
    `insert into skipped_items (provider, repository_id, stream, kind, reason, path, explanation, is_stored, is_counted, items,
       first_seen_at, seen_at)
     select provider, id, 'issues', 'label', 'refused', $2, $3, true, true, 4, now(), now() from repositories where name = $1`,
    [repository, path, hostsWords],
  );
}

describe('GET .../status', () => {
  let fixture: Fixture;
  before(async () => {
    fixture = await openFixture();
  });
  // The fixture is undefined when it could not be opened.
  after(() => fixture?.[Symbol.asyncDispose]());

  it("shows an owner the state of the account's own data, private repositories included", async () => {
    const { service, simulator, tokens, status } = fixture;
    const initial = await status(engines, tokens.engines);
    const owned = simulator.world.owned(simulator.world.accountByLogin(engines.name) ?? assert.fail());
    assert.equal(initial.repositories.count, owned.length);
    assert.equal(initial.repositories.complete, owned.length);
    assert.deepEqual([initial.streams.failing, initial.streams.items, initial.skipped_items.count], [0, [], 0]);
    assert.equal(initial.streams.complete, initial.streams.count);
    assert.ok(initial.as_of !== null && initial.repositories.as_of !== null && initial.streams.oldest_as_of !== null);
    assert.deepEqual(initial.notifications, { waiting: 0, failed: 0, oldest_waiting_dttm: null });

    await failStream(service, 'hidden-engine');
    await skipItem(service, 'hidden-engine', '/labels/*');
    await skipItem(service, 'engine-1', '/milestone');
    const faulty = await status(engines, tokens.engines);
    assert.equal(faulty.repositories.complete, owned.length - 1);
    assert.equal(faulty.streams.failing, 1);
    assert.deepEqual(
      faulty.streams.items.map(({ repository_name, name, complete, failure }) => [
        repository_name,
        name,
        complete,
        failure.reason,
        failure.since_dttm,
      ]),
      [['hidden-engine', 'issues', true, 'ip_allow_list', '2026-03-01T12:00:00Z']],
    );
    assert.deepEqual(
      faulty.skipped_items.items
        .map(({ repository_name, path }) => [repository_name, path])
        .toSorted(([left], [right]) => String(left).localeCompare(String(right))),
      [
        ['engine-1', '/milestone'],
        ['hidden-engine', '/labels/*'],
      ],
    );
    const first = await status(engines, tokens.engines, '?limit=1');
    assert.deepEqual([first.skipped_items.count, first.skipped_items.items.length], [2, 1]);
  });

  it('says what reading the other repositories waits for, and until when', async () => {
    const { service, tokens, status } = fixture;
    const { connection, pool } = service.database;
    assert.equal((await status(engines, tokens.engines)).repositories.progress, null);
    const { rows } = await pool.query<{ id: string }>('select id from accounts where name = $1', [engines.name]);
    const accountId = rows[0]?.id ?? assert.fail();
    const unread = `name = 'issues' and repository_id in (select id from repositories where name = 'engine-1')`;
    await pool.query(`update streams set completed_at = null where ${unread}`);
    const until = new Date(Date.now() + 1_800_000);
    await inTransaction(connection, (transaction) =>
      delayLookup(transaction, collectJob(accountId), until, new Date()),
    );
    const { count, progress } = (await status(engines, tokens.engines)).repositories;
    assert.deepEqual(progress, {
      repositories: { complete: count - 1, total: count },
      reason: 'quota',
      resumes_dttm: `${until.toISOString().slice(0, 19)}Z`,
    });
    await pool.query(`update streams set completed_at = now() where ${unread}`);
    await pool.query('delete from lookups');
  });

  it("counts deliveries about the account's own repositories, and no others", async () => {
    const { service, simulator, tokens, status } = fixture;
    const { world } = simulator;
    const sent = outbox(simulator);
    const repository = world.repository(engines.name, 'engine-1') ?? assert.fail();
    addIssue(world, repository, { author: world.accountByLogin(keeper.name) ?? assert.fail() });
    for (const { headers, body } of sent) await send(service, '/v1/github/webhooks', 'POST', headers, body);
    assert.deepEqual((await status(engines, tokens.engines)).deliveries, {
      pending: 1,
      failed: 0,
      last_applied_dttm: null,
    });
    assert.equal((await status(keeper, tokens.keeper)).deliveries.pending, 0);
    await service.database.pool.query('update deliveries set attempts = 20');
    assert.equal((await status(engines, tokens.engines)).deliveries.failed, 1);
    await service.database.pool.query('update deliveries set attempts = 0');
    await applyDeliveries(createContext(service));
    const { deliveries } = await status(engines, tokens.engines);
    assert.equal(deliveries.pending, 0);
    assert.notEqual(deliveries.last_applied_dttm, null);
    // The account that opened the issue does not own the repository.
    assert.equal((await status(keeper, tokens.keeper)).deliveries.last_applied_dttm, null);
  });

  it("shows neither names of other owners' private repositories nor the operator's data", async () => {
    const { service, simulator, tokens } = fixture;
    for (const repository of ['hidden-engine', 'diary', 'engine-1']) {
      await failStream(service, repository);
      await skipItem(service, repository, '/assignees/*');
    }
    const credentialNames = service.service.providers.get('github')?.privateData?.credentialNames() ?? assert.fail();
    assert.ok(credentialNames.length > 0);
    for (const [owner, token, foreign] of [
      [engines, tokens.engines, 'diary'],
      [keeper, tokens.keeper, 'hidden-engine'],
    ] as const) {
      const { text } = await service.get(`${owner.name}/status`, fromOwnAddress(bearer(token)));
      assert.ok(!text.includes(foreign), text);
      const operators = ['203.0.113.9', ...credentialNames, ...Object.values(simulator.tokens), 'x-ratelimit', '5000'];
      for (const fact of operators) assert.ok(!text.includes(fact), `${owner.name}: ${fact}`);
      assert.doesNotMatch(text, /quota|scope|credential|postgres|version|git /i);
      const { text: all } = await service.get(`${owner.name}/export`, fromOwnAddress(bearer(token)));
      assert.ok(all.includes('"skipped_item"') && !all.includes('203.0.113.9'));
      for (const credentialName of credentialNames) assert.ok(!all.includes(credentialName), owner.name);
    }
  });

  it('lets only the owner in, and sends the same error to all other callers', async () => {
    const { service, simulator, tokens } = fixture;
    const requestStatus = (name: string, init: RequestInit = {}) => service.get(`${name}/status`, fromOwnAddress(init));
    const others = await serviceToken(service, simulator, ada);
    for (const [name, init, expected] of [
      [engines.name, {}, 401],
      [engines.name, bearer('a.b.c'), 401],
      [engines.name, bearer(simulator.tokens.organization_admin), 401],
      [engines.name, bearer(others), 403],
      [engines.name, bearer(tokens.keeper), 403],
      ['nobody-at-all', bearer(tokens.keeper), 403],
    ] as const) {
      const { status, text } = await requestStatus(name, init);
      assert.equal(status, expected, name);
      assert.doesNotMatch(text, /hidden-engine|diary|streams/);
    }
    const [stranger, absent] = await Promise.all([
      requestStatus(engines.name, bearer(tokens.keeper)),
      requestStatus('nobody-at-all', bearer(tokens.keeper)),
    ]);
    assert.equal(stranger.text, absent.text);
    const response = await requestStatus(engines.name, bearer(tokens.engines));
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    assert.equal(response.headers.get('vary'), 'authorization');
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
    const preflight = await requestStatus(engines.name, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://pages.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization',
      },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
    assert.equal(preflight.headers.get('access-control-allow-headers'), 'authorization');
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /GET/);
    assert.equal(preflight.headers.get('access-control-allow-credentials'), null);
    assert.equal((await requestStatus(engines.name, { ...bearer(tokens.engines), method: 'HEAD' })).status, 200);
    assert.equal((await service.get(`${engines.name}/status?limit=0`, bearer(tokens.engines))).status, 400);
    assert.equal((await service.get(`/v1/gitlab/entities/${engines.name}/status`, bearer(tokens.engines))).status, 404);

    const [, payload = ''] = tokens.engines.split('.');
    const { jti } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { jti: string };
    const revoked = await service.get(
      `${engines.name}/tokens/${jti}`,
      fromOwnAddress(jsonRequest('DELETE', tokens.engines)),
    );
    assert.equal(revoked.status, 204, revoked.text);
    assert.equal((await requestStatus(engines.name, bearer(tokens.engines))).status, 401);
  });
});
