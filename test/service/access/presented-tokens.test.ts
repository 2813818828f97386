import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { readAllTables } from '../../e2e/access/state.ts';
import { ed25519, eddsa, forge, pem } from '../../integration/access/forge-token.ts';
import { bearer, engines, fromOwnAddress, jsonRequest, serviceToken } from '../../integration/access/owner.ts';
import { startStoredService } from '../http/stored-service.ts';
import { startSteppedService } from '../sync/stepped-service.ts';

describe('secrecy of credentials', () => {
  it('sends a presented token only to its own provider, to identify the caller, even when requests fail', async () => {
    const presented: { name: string; token: string }[] = [];
    await using simulator = await startSimulator({
      repositories: 1,
      onRequest: ({ name, token }) => void presented.push({ name, token }),
    });
    await using service = await startSteppedService({
      simulator,
      settings: { LOG_LEVEL: 'trace', TRUST_PROXY: 'loopback' },
    });
    const marked = simulator.tokens.organization_admin;
    const served: string[] = [];
    const kinds = [
      undefined,
      'unavailable',
      'bad_credentials',
      'malformed',
      'error_in_200',
      'primary_limit',
      'secondary_limit',
      'drop_midway',
      'drop_before',
      'redirect',
      'somebody_else',
      'never',
    ] as const;
    for (const kind of kinds) {
      for (const on of ['GET /user', 'memberships']) {
        simulator.faults.clear();
        if (kind !== undefined) simulator.faults.add({ kind, on, times: 3, token: 'organization_admin' });
        for (const [method, path, body] of [
          ['GET', 'token', undefined],
          ['PUT', 'keys', { data: { key: 'nonsense' } }],
          ['GET', 'keys', undefined],
          ['DELETE', `keys/${'0'.repeat(64)}`, undefined],
        ] as const) {
          const response = await service.get(
            `${engines.name}/${path}`,
            fromOwnAddress(jsonRequest(method, marked, body)),
          );
          served.push(response.text.replace(/"token":"[^"]+"/, ''), JSON.stringify([...response.headers]));
          if (kind === 'never') break;
        }
      }
    }
    simulator.faults.clear();
    // The token is also sent to routes that do not take it.
    for (const path of ['', '/contributions', '/repositories', '/settings']) {
      served.push((await service.get(`${engines.name}${path}`, bearer(marked))).text);
    }
    await service.getComplete(`${engines.name}/contributors`);
    const metrics = await (await fetch(`${service.service.metricsUrl}/metrics`)).text();
    const seen = [service.lines.join('\n'), await readAllTables(service), metrics, ...served].join('\n');
    assert.ok(seen.length > 50_000);
    assert.ok(!seen.includes(marked) && !seen.includes(Buffer.from(marked).toString('base64').slice(4, -4)));
    const requested = presented.filter(({ token }) => token === 'organization_admin').map(({ name }) => name);
    assert.deepEqual([...new Set(requested)].toSorted(), ['GET /user', `GET /user/memberships/orgs/${engines.name}`]);
    // The service's own token is not used for the proof, nor the presented one for the rest.
    assert.ok(presented.every(({ name, token }) => !name.startsWith('GET /user/m') || token === 'organization_admin'));
  });

  it('sends no host a token for this service where a token of the provider is expected', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startStoredService({
      simulator,
      holdsWorld: true,
      settings: { TRUST_PROXY: 'loopback' },
    });
    const issued = await serviceToken(service, simulator, engines);
    const { privateKey } = ed25519();
    const claims = { aud: ['https://other.example', service.url], sub: `github/${engines.name}`, exp: 4_000_000_000 };
    const signed = forge({ header: { alg: 'EdDSA', kid: '0'.repeat(64) }, payload: claims }, eddsa(privateKey));
    const requested = simulator.requests.length;
    for (const token of [issued, signed]) {
      for (const [method, path, body] of [
        ['PUT', 'keys', { data: { key: pem(ed25519().publicKey) } }],
        ['GET', 'token', undefined],
      ] as const) {
        const {
          status,
          headers,
          body: problem,
        } = await service.get(`${engines.name}/${path}`, fromOwnAddress(jsonRequest(method, token, body)));
        assert.deepEqual([status, headers.get('www-authenticate'), problem.error?.code], [401, 'Bearer', 4]);
        assert.match(problem.error?.message ?? '', /^This address needs a token of the provider/);
      }
    }
    assert.deepEqual(simulator.requests.slice(requested), []);
  });
});
