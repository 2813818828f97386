import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startHttpServer } from '../../../simulators/git/http-server.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { startTestService } from '../service.ts';

const markedTokens = ['public_only', 'organization_member'].map((name) => `ghp_simulated_${name}_0123456789`);

/** Returns every row of every table, as text. */
async function everythingStored(service: Awaited<ReturnType<typeof startTestService>>): Promise<string> {
  const { pool } = service.database;
  const { rows } = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const texts = await Promise.all(
    rows.map(async ({ name }) => {
      const table = await pool.query<{ row: string }>(`select t::text as row from ${name} t`);
      return table.rows.map(({ row }) => row).join('\n');
    }),
  );
  return texts.join('\n');
}

describe('secrecy of settings', () => {
  it('sends its tokens only to GitHub, and reveals neither them nor a private repository in responses, log, metrics and rows', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startTestService({
      simulator,
      tokens: ['public_only', 'organization_member'],
      settings: { LOG_LEVEL: 'trace' },
    });
    const { organization } = simulator.accounts;
    const [hidden, missing] = await Promise.all(
      ['hidden-engine', 'nobody-engine'].map((name) => service.get(`${organization}/contributors?repository=${name}`)),
    );
    assert.deepEqual([hidden?.status, hidden?.text], [404, missing?.text]);
    assert.equal(strip(hidden?.headers ?? new Headers()), strip(missing?.headers ?? new Headers()));
    const { text } = await service.getComplete(`${organization}/contributors`);
    assert.ok(!text.includes('hidden-engine'));

    const responses: string[] = [];
    const request = async (path: string): Promise<void> => {
      const { text, headers } = await service.get(path);
      responses.push(text, JSON.stringify([...headers]));
    };
    for (const kind of [
      'unavailable',
      'bad_credentials',
      'malformed',
      'surprise',
      'primary_limit',
      'drop_midway',
    ] as const) {
      simulator.faults.clear();
      simulator.faults.add({ kind, times: 2, path: ['data'], value: 3 });
      await request('ada-lovelace/contributors');
      await request(`person-${responses.length}`);
    }
    simulator.faults.clear();
    await request('max-member/contributors');
    const metrics = await (await fetch(`${service.service.metricsUrl}/metrics`)).text();
    const stored = await everythingStored(service);
    const seen = [service.lines.join('\n'), stored, metrics, ...responses].join('\n');
    assert.ok(seen.length > 10_000);
    for (const token of markedTokens) {
      assert.ok(!seen.includes(token));
      assert.ok(!seen.includes(Buffer.from(`x-access-token:${token}`).toString('base64')));
    }
    // GitHub must get the token, or this test would prove nothing.
    assert.ok(simulator.requests.some(({ token }) => token === 'public_only' || token === 'organization_member'));

    // A redirect to another host is an error, and that host gets no request.
    const received: string[] = [];
    await using stranger = await startHttpServer((request, response) => {
      received.push(JSON.stringify(request.headers));
      response.end('{}');
    });
    simulator.faults.add({ kind: 'redirect', times: 100, location: stranger.url });
    assert.equal((await service.get('person-9')).status, 502);
    assert.equal((await service.get('engine-helper%5Bbot%5D')).status, 502);
    assert.deepEqual(received, []);
    assert.ok(service.lines.every((line) => !line.includes('hidden-engine')));
  });
});

/** Returns the headers that are the same in all responses of a kind. */
const strip = (headers: Headers): string =>
  JSON.stringify([...headers].filter(([name]) => !['x-request-id', 'date', 'ratelimit-remaining'].includes(name)));
