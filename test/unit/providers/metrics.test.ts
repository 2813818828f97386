import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Registry } from 'prom-client';
import type { CredentialUse } from '../../../src/hosts/interface/call.ts';
import type { Provider } from '../../../src/hosts/interface/provider.ts';
import { createHostMetrics, registerCredentialMetrics } from '../../../src/hosts/metrics.ts';

const providers = (uses: CredentialUse[]): Map<string, Provider> =>
  new Map([['github', { credentialUses: () => uses } as Partial<Provider> as Provider]]);

async function findValues(registry: Registry, name: string): Promise<string[]> {
  return (await registry.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`));
}

describe('metrics of credentials', () => {
  it('number tokens in the order of the settings, and sum installations', async () => {
    const registry = new Registry();
    const quota = (remaining: number) => [{ resource: 'graphql', limit: 5000, remaining }];
    registerCredentialMetrics(
      registry,
      providers([
        { kind: 'token', state: 'usable', quotas: quota(4000) },
        { kind: 'token', state: 'refused', quotas: [] },
        { kind: 'installation', state: 'limited', quotas: quota(0) },
        { kind: 'installation', state: 'usable', quotas: quota(10) },
      ]),
    );
    assert.deepEqual(await findValues(registry, 'plaudit_quota_remaining'), [
      'plaudit_quota_remaining{provider="github",credential="token 1",resource="graphql"} 4000',
      'plaudit_quota_remaining{provider="github",credential="installations",resource="graphql"} 10',
    ]);
    assert.deepEqual(await findValues(registry, 'plaudit_quota_limit'), [
      'plaudit_quota_limit{provider="github",credential="token 1",resource="graphql"} 5000',
      'plaudit_quota_limit{provider="github",credential="installations",resource="graphql"} 10000',
    ]);
    assert.deepEqual(await findValues(registry, 'plaudit_credentials'), [
      'plaudit_credentials{provider="github",state="usable"} 2',
      'plaudit_credentials{provider="github",state="limited"} 1',
      'plaudit_credentials{provider="github",state="refused"} 1',
    ]);
  });
});

describe('metric of responses of hosts', () => {
  it('counts classes of status, and requests without a response', async () => {
    const registry = new Registry();
    const observe = createHostMetrics(registry)('gitea');
    for (const status of [200, 204, 404, 502, undefined]) observe(status, 0.5);
    assert.deepEqual(await findValues(registry, 'plaudit_host_response_seconds_count'), [
      'plaudit_host_response_seconds_count{provider="gitea",status="2xx"} 2',
      'plaudit_host_response_seconds_count{provider="gitea",status="4xx"} 1',
      'plaudit_host_response_seconds_count{provider="gitea",status="5xx"} 1',
      'plaudit_host_response_seconds_count{provider="gitea",status="none"} 1',
    ]);
  });
});
