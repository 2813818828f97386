import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { describe, it } from 'node:test';
import { startHttpServer } from '../../../../simulators/git/http-server.ts';
import { type Simulator, startSimulator } from '../../../../simulators/github/simulator.ts';
import { createGitHubProvider } from '../../../../src/hosts/github/provider.ts';
import type { CredentialReport, Diagnosis } from '../../../../src/hosts/interface/diagnosis.ts';
import type { ProviderWith } from '../../../../src/hosts/interface/provider.ts';
import { clock } from '../../../time.ts';
import { engines } from '../../access/owner.ts';

interface Options {
  tokens?: readonly string[];
  isApp?: boolean;
  apiUrl?: string;
  now?: () => Date;
}

function github(simulator: Simulator, options: Options = {}): ProviderWith<'diagnose'> & AsyncDisposable {
  const { tokens = [], isApp = false, apiUrl = simulator.apiUrl, now = () => new Date() } = options;
  const { app } = simulator;
  const provider = createGitHubProvider({
    name: 'github',
    url: simulator.url,
    apiUrl,
    tokens,
    webhookSecret: 'a secret of the App',
    app: isApp ? { id: String(app.id), privateKey: createPrivateKey(app.privateKey) } : undefined,
    connectTimeoutMs: 2000,
    now,
  });
  return { ...provider, [Symbol.asyncDispose]: () => provider.close() };
}

const diagnose = (provider: ProviderWith<'diagnose'>): Promise<Diagnosis> =>
  provider.diagnose(AbortSignal.timeout(20_000));

async function only(provider: ProviderWith<'diagnose'>): Promise<CredentialReport> {
  const { credentials } = await diagnose(provider);
  assert.equal(credentials.length, 1);
  return credentials[0] ?? assert.fail();
}

describe('the diagnosis of a GitHub provider', () => {
  it('reports the owner, the visible data and the remaining quotas of each token', async () => {
    const { now } = clock();
    await using simulator = await startSimulator({ now });
    const { public_only, user, private_owner } = simulator.tokens;
    await using provider = github(simulator, {
      tokens: [public_only, user, private_owner, 'ghp_revoked_0123456789abcd'],
      now,
    });
    const { credentials } = await diagnose(provider);
    assert.deepEqual(
      credentials.map(({ label, state, holder, sees }) => [label, state, holder, sees]),
      [
        ['token 1 of 4 (ends with 6789)', 'accepted', simulator.accounts.user, 'public'],
        ['token 2 of 4 (ends with 6789)', 'accepted', simulator.accounts.user, 'private'],
        // GitHub does not report scopes of fine-grained tokens.
        ['token 3 of 4 (ends with 6789)', 'accepted', simulator.accounts.private_owner, 'unknown'],
        ['token 4 of 4 (ends with abcd)', 'refused', null, 'unknown'],
      ],
    );
    const resetAt = new Date(now().getTime() + 3_600_000);
    assert.deepEqual(credentials[0]?.quotas, [
      { resource: 'graphql', unit: 'points', limit: 5000, remaining: 5000, resetAt },
      { resource: 'core', unit: 'requests', limit: 5000, remaining: 5000, resetAt },
    ]);
    assert.deepEqual(credentials.at(-1)?.quotas, []);
    const reported = JSON.stringify(credentials);
    for (const secret of [public_only, user, private_owner, 'ghp_revoked']) assert.ok(!reported.includes(secret));
  });

  it('reports a quota that is used up, though GitHub refuses everything else then', async () => {
    await using simulator = await startSimulator({ limits: { core: 0, graphql: 0 } });
    await using provider = github(simulator, { tokens: [simulator.tokens.public_only] });
    const report = await only(provider);
    assert.deepEqual([report.state, report.holder], ['accepted', null]);
    assert.deepEqual(
      report.quotas.map(({ resource, limit, remaining }) => [resource, limit, remaining]),
      [
        ['graphql', 0, 0],
        ['core', 0, 0],
      ],
    );
  });

  it('reads the day on which a token expires, in UTC or with an offset', async () => {
    for (const [header, expiresAt] of [
      ['2026-12-01 09:22:37 UTC', '2026-12-01T09:22:37.000Z'],
      ['2026-12-01 09:22:37 -0500', '2026-12-01T14:22:37.000Z'],
      ['tomorrow', undefined],
    ] as const) {
      await using simulator = await startSimulator();
      await using server = await startHttpServer((_request, response) => {
        response.setHeader('github-authentication-token-expiration', header);
        const limit = { limit: 5000, remaining: 1, reset: 0 };
        response.end(JSON.stringify({ login: 'ada', resources: { core: limit, graphql: limit } }));
      });
      await using provider = github(simulator, { tokens: ['token'], apiUrl: server.url });
      const report = await only(provider);
      assert.equal(report.expiresAt?.toISOString(), expiresAt);
      assert.equal(report.label, 'the token');
    }
  });

  it('diagnoses an enterprise server without limits without quotas', async () => {
    await using simulator = await startSimulator();
    await using server = await startHttpServer((request, response) => {
      const isLimits = request.url === '/rate_limit';
      response
        .writeHead(isLimits ? 404 : 200)
        .end(JSON.stringify(isLimits ? { message: 'Rate limiting is not enabled.' } : { login: 'ada' }));
    });
    await using provider = github(simulator, { tokens: ['token'], apiUrl: server.url });
    const { state, holder, quotas } = await only(provider);
    assert.deepEqual([state, holder, quotas], ['accepted', 'ada', []]);
  });

  it('reports without a token that a token is missing, and the small quota', async () => {
    await using simulator = await startSimulator();
    await using provider = github(simulator);
    const { kind, state, sees, missing, quotas } = await only(provider);
    assert.deepEqual([kind, state, sees], ['none', 'accepted', 'public']);
    assert.deepEqual(
      missing.map(({ name, isRequired }) => [name, isRequired]),
      [['a token', false]],
    );
    assert.deepEqual(
      quotas.map(({ resource, limit }) => [resource, limit]),
      [['core', 60]],
    );
  });

  it('names the cause why a host cannot be called', async () => {
    await using simulator = await startSimulator();
    const reasonAt = async (apiUrl: string): Promise<string | null> => {
      await using provider = github(simulator, { tokens: [simulator.tokens.user], apiUrl });
      const { state, reason } = await only(provider);
      assert.equal(state, 'unreachable');
      return reason;
    };
    assert.equal(await reasonAt('http://127.0.0.1:9'), 'refuses connections');
    assert.equal(await reasonAt('http://nowhere.invalid'), 'has a name that cannot be resolved');
    await using broken = await startHttpServer((_request, response) => void response.writeHead(503).end('{}'));
    assert.equal(await reasonAt(broken.url), 'responds with an error of its own');
    await using htmlServer = await startHttpServer((_request, response) => void response.end('<html>'));
    assert.match((await reasonAt(htmlServer.url)) ?? '', /^sends a response that cannot be used/);
  });

  it('ends within the given time where a host does not respond', async () => {
    await using simulator = await startSimulator();
    simulator.faults.add({ kind: 'never', times: 10 });
    await using provider = github(simulator, { tokens: [simulator.tokens.user], isApp: true });
    const { credentials } = await provider.diagnose(AbortSignal.timeout(300));
    assert.deepEqual(
      credentials.map(({ kind, state, reason }) => [kind, state, reason]),
      [
        ['token', 'unreachable', 'does not respond in time'],
        ['app', 'unreachable', 'does not respond in time'],
      ],
    );
  });

  it('reports the App with the permissions and events that it lacks, and each installation with its quota', async () => {
    await using simulator = await startSimulator();
    const { app, world } = simulator;
    const installation = app.install(world.accountByLogin(engines.name) ?? assert.fail());
    const suspended = app.install(world.accountByLogin(simulator.accounts.user) ?? assert.fail());
    await using provider = github(simulator, { isApp: true });
    provider.app?.use(
      [installation, suspended].map(({ id, accountId }) => ({ externalId: String(id), account: String(accountId) })),
    );
    app.suspend(suspended);
    const { credentials } = await diagnose(provider);
    assert.deepEqual(
      credentials.map(({ kind, label, credentialName, state, missing }) => ({
        kind,
        label,
        credentialName,
        state,
        missing,
      })),
      [
        { kind: 'app', label: 'the GitHub App', credentialName: null, state: 'accepted', missing: [] },
        {
          kind: 'installation',
          label: `installation ${installation.id}`,
          credentialName: `installation:${installation.id}`,
          state: 'accepted',
          missing: [],
        },
        {
          kind: 'installation',
          label: `installation ${suspended.id}`,
          credentialName: `installation:${suspended.id}`,
          state: 'refused',
          missing: [],
        },
      ],
    );
    assert.match(credentials[0]?.holder ?? '', /^plaudit-simulated, owned by /);
    assert.equal(credentials[1]?.quotas[0]?.limit, 5000);

    app.permissions = { metadata: 'read', contents: 'read', issues: 'read', pull_requests: 'read', members: 'read' };
    app.events = app.events.filter((event) => event !== 'star');
    const { credentials: less } = await diagnose(provider);
    assert.deepEqual(
      less[0]?.missing.map(({ name, isRequired }) => [name, isRequired]),
      [
        ['the permission "discussions" (read)', true],
        ['the event "star"', false],
      ],
    );
    app.isDeleted = true;
    const { credentials: refusedCredentials } = await diagnose(provider);
    assert.equal(refusedCredentials[0]?.state, 'refused');
  });
});
