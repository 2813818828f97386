import { startSimulator } from '../simulators/github/simulator.ts';
import { until } from '../test/time.ts';
import type { BenchResult } from './bench-result.ts';
import { makeDataDir, startService } from './bench-service.ts';
import { compare, load, median } from './load.ts';
import { sized } from './size.ts';

const accounts = [
  {
    name: 'analytical-engines',
    token: 'organization_admin',
    paths: ['/user', '/user/memberships/orgs/analytical-engines'],
  },
  { name: 'secret-keeper', token: 'private_owner', paths: ['/user'] },
] as const;
/** The proofs for each account, fewer than the limit for one account in a minute. */
const proofsEach = sized(50, 2);

/**
 * Compares reads with a verified token to the same reads without one. Also measures the cost of issuing a token,
 * without the request to the provider.
 */
export async function run(): Promise<BenchResult[]> {
  await using simulator = await startSimulator();
  await using place = await makeDataDir();
  await using service = await startService({
    DATA_DIR: place.dataDir,
    GITHUB_URL: simulator.url,
    GITHUB_API_URL: simulator.apiUrl,
    GITHUB_TOKEN: simulator.tokens.organization_admin,
    TRUST_PROXY: 'loopback',
    RATE_LIMIT_PER_MINUTE: '1000000',
  });
  const [engines] = accounts;
  const address = `${service.url}/v1/github/entities/${engines.name}`;
  const presented = { authorization: `Bearer ${simulator.tokens[engines.token]}` };
  const issued = (await (await fetch(`${address}/token`, { headers: presented })).json()) as {
    data: { token: string };
  };
  const headers = { authorization: `Bearer ${issued.data.token}` };
  await until(async () => {
    const response = await fetch(`${address}/contributors`, { headers });
    const { meta_data } = (await response.json()) as { meta_data: { complete?: boolean } };
    return response.status === 200 && meta_data.complete ? true : undefined;
  }, 'everything is collected');
  const warm = await compare(
    () => load(`${address}/contributors`, { headers }),
    () => load(`${address}/contributors`),
  );
  // Each URL is requested once, so that none is in the cache.
  let requestCount = 0;
  const fresh = (path: string) => (): string => `${new URL(address).pathname}/${path}&v=${(requestCount += 1)}`;
  const uncached = await compare(
    () => load(service.url, { headers, path: fresh('contributors?limit=30') }),
    () => load(service.url, { path: fresh('contributors?limit=30') }),
  );
  const proof = await proofs(service.url, simulator);
  return [
    {
      name: 'private-warm',
      ratio: warm.ratio,
      goal: '>=0.5',
      baseline: 'the same read without a token',
      detail: perSecond(warm.best.requestsPerSecond),
    },
    {
      name: 'private-database',
      ratio: uncached.ratio,
      goal: '>=0.5',
      baseline: 'the same read without a token, not in the cache',
      detail: perSecond(uncached.best.requestsPerSecond),
    },
    {
      name: 'token-issue',
      ratio: proof.provider / proof.endpoint,
      goal: 'none',
      baseline: 'direct requests to the provider',
      detail: `${proof.endpoint.toFixed(1)} ms, of which the provider takes ${proof.provider.toFixed(1)} ms`,
    },
  ];
}

/** Returns the median time of endpoint 5, and of its requests to the provider, in ms. */
async function proofs(
  url: string,
  { apiUrl, tokens }: { apiUrl: string; tokens: Record<string, string> },
): Promise<{ endpoint: number; provider: number }> {
  const [endpoint, provider]: [number[], number[]] = [[], []];
  for (let round = 0; round < proofsEach; round += 1) {
    for (const { name, token, paths } of accounts) {
      const authorization = `Bearer ${tokens[token]}`;
      const headers = { authorization, 'x-forwarded-for': `10.0.${round}.${endpoint.length % 250}` };
      endpoint.push(await took(() => fetch(`${url}/v1/github/entities/${name}/token`, { headers })));
      provider.push(
        await took(async () => {
          let last: Response | undefined;
          for (const path of paths) {
            last = await fetch(`${apiUrl}${path}`, { headers: { authorization } });
            await last.arrayBuffer();
          }
          return last;
        }),
      );
    }
  }
  return { endpoint: median(endpoint), provider: median(provider) };
}

async function took(work: () => Promise<Response | undefined>): Promise<number> {
  const begun = performance.now();
  const response = await work();
  if (response?.status !== 200) throw new Error(`the status is ${response?.status}`);
  if (!response.bodyUsed) await response.arrayBuffer();
  return performance.now() - begun;
}

function perSecond(requests: number): string {
  return `${Math.round(requests).toLocaleString('en')} requests/s at best`;
}
