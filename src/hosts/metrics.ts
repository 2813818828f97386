import { Histogram, type Registry } from 'prom-client';
import { registerGauge } from '../model/gauge.ts';
import { type CredentialUse, useStates } from './interface/call.ts';
import type { Provider } from './interface/provider.ts';
import type { OnExchange } from './transport/http-transport.ts';

/** Returns a function that makes the receiver of a provider's exchanges with its host. */
export function createHostMetrics(registry: Registry): (provider: string) => OnExchange {
  const exchanges = new Histogram({
    name: 'plaudit_host_response_seconds',
    help: 'Time of responses of code hosts to API requests of this node, by class of status; "none": no response came.',
    labelNames: ['provider', 'status'],
    buckets: [0.1, 0.3, 1, 3, 10, 30],
    registers: [registry],
  });
  return (provider) => (status, seconds) =>
    exchanges.observe({ provider, status: status === undefined ? 'none' : `${Math.floor(status / 100)}xx` }, seconds);
}

/** Registers the quotas and states of credentials, as this node knows them from responses. */
export function registerCredentialMetrics(registry: Registry, providers: ReadonlyMap<string, Provider>): void {
  registerGauge(registry, {
    name: 'plaudit_credentials',
    help: 'Credentials by state: usable, limited (the host refuses requests for a time, or its quota is used up), refused.',
    labelNames: ['provider', 'state'],
    read: () =>
      [...providers].flatMap(([provider, one]) => {
        const uses = listUses(one);
        return useStates.map((state) => ({
          labels: { provider, state },
          value: uses.filter((use) => use.state === state).length,
        }));
      }),
  });
  for (const part of ['limit', 'remaining'] as const) {
    registerGauge(registry, {
      name: `plaudit_quota_${part}`,
      help: {
        limit: 'Requests or points that a host permits a credential in its period; all installations together.',
        remaining: 'Requests or points that remain to a credential in the present period; all installations together.',
      }[part],
      labelNames: ['provider', 'credential', 'resource'],
      read: () =>
        [...providers].flatMap(([provider, one]) =>
          sumQuotas(listUses(one), part).map(({ credential, resource, value }) => ({
            labels: { provider, credential, resource },
            value,
          })),
        ),
    });
  }
}

function listUses(provider: Provider): CredentialUse[] {
  return provider.credentialUses?.() ?? [];
}

interface QuotaSum {
  credential: string;
  resource: string;
  value: number;
}

/** Sums quotas by credential and resource. Installations count as one, because there may be as many as accounts. */
function sumQuotas(uses: readonly CredentialUse[], part: 'limit' | 'remaining'): QuotaSum[] {
  const sums = new Map<string, QuotaSum>();
  for (const [index, { kind, quotas }] of uses.entries()) {
    const names = { none: 'none', token: `token ${index + 1}`, installation: 'installations' };
    const credential = names[kind];
    for (const quota of quotas) {
      const key = `${credential} ${quota.resource}`;
      const sum = sums.get(key) ?? { credential, resource: quota.resource, value: 0 };
      sums.set(key, { ...sum, value: sum.value + quota[part] });
    }
  }
  return [...sums.values()];
}
