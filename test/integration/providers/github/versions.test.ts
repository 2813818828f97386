import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startHttpServer } from '../../../../simulators/git/http-server.ts';
import { RestVersion } from '../../../../src/hosts/github/client.ts';
import { createGitHubProvider } from '../../../../src/hosts/github/provider.ts';
import type { Diagnosis } from '../../../../src/hosts/interface/diagnosis.ts';
import { until } from '../../../time.ts';

const oldest = '2022-11-28';
const newest = '2026-03-10';

interface Host extends AsyncDisposable {
  /** The versions that requests named, the last one last. */
  named: string[];
  diagnose(): Promise<Diagnosis>;
}

/** Starts an Enterprise Server. @param versions the body of `GET /versions`; undefined: it has no such address. */
async function startEnterpriseServer(versions: unknown, facts: { meta?: object; header?: string } = {}): Promise<Host> {
  const named: string[] = [];
  const server = await startHttpServer((request, response) => {
    if (facts.header !== undefined) response.setHeader('x-github-enterprise-version', facts.header);
    if (request.url === '/api/v3/versions') {
      response.writeHead(versions === undefined ? 404 : 200).end(JSON.stringify(versions ?? { message: 'Not Found' }));
      return;
    }
    named.push(String(request.headers['x-github-api-version']));
    const limit = { limit: 5000, remaining: 5000, reset: 0 };
    response.end(JSON.stringify({ login: 'ada', resources: { core: limit, graphql: limit }, ...facts.meta }));
  });
  const provider = createGitHubProvider({
    name: 'github',
    url: server.url,
    apiUrl: `${server.url}/api/v3`,
    tokens: ['token'],
    webhookSecret: undefined,
    app: undefined,
    connectTimeoutMs: 2000,
    now: () => new Date(),
  });
  return {
    named,
    diagnose: () => provider.diagnose(AbortSignal.timeout(20_000)),
    [Symbol.asyncDispose]: async () => {
      await provider.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('the version of the REST API', () => {
  it('is the newest at github.com and ghe.com', () => {
    for (const apiUrl of ['https://api.github.com', 'https://api.acme.ghe.com']) {
      const version = new RestVersion(apiUrl);
      version.learn(() => Promise.reject(new Error('it is not read')), new Date());
      assert.equal(version.headers()['x-github-api-version'], newest);
    }
  });

  it('is the newest known one that an Enterprise Server lists', async () => {
    await using host = await startEnterpriseServer([oldest, newest, '2031-01-01']);
    await until(async () => {
      await host.diagnose();
      return host.named.includes(newest) || undefined;
    }, 'requests name the newest version');
    assert.equal(host.named[0], oldest);
  });

  for (const [title, versions] of [
    ['lists none', []],
    ['has no list', undefined],
    ['lists only an older one', [oldest]],
    ['lists only an unknown one', ['2031-01-01']],
    ['sends no list', { versions: [newest] }],
  ] as const) {
    it(`stays the oldest where an Enterprise Server ${title}`, async () => {
      await using host = await startEnterpriseServer(versions);
      for (let attempt = 0; attempt < 5; attempt += 1) await host.diagnose();
      assert.deepEqual([...new Set(host.named)], [oldest]);
    });
  }
});

describe('the version of an Enterprise Server', () => {
  it('is read from its facts or a header, and compared with the oldest that works', async () => {
    const cases = [
      { facts: { meta: { installed_version: '3.9.2' } }, version: '3.9.2', needs: '3.17' },
      { facts: { header: 'enterprise-server@3.16.4' }, version: '3.16.4', needs: '3.17' },
      { facts: { meta: { installed_version: '3.17.0' } }, version: '3.17.0', needs: undefined },
      { facts: { meta: { installed_version: '3.20.1' } }, version: '3.20.1', needs: undefined },
      { facts: {}, version: null, needs: undefined },
    ];
    for (const { facts, version, needs } of cases) {
      await using host = await startEnterpriseServer(undefined, facts);
      const diagnosis = await host.diagnose();
      assert.deepEqual([diagnosis.version, diagnosis.needs?.version], [version, needs]);
    }
  });
});
