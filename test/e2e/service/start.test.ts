import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { openDatabase } from '../../../src/database/connections/open.ts';
import { advisoryLocks } from '../../../src/database/schema/advisory-locks.ts';
import { toReader } from '../../../src/views/pages/layout/reader.ts';
import { createTestDatabase } from '../../database.ts';
import type { OpenApi } from '../../described/open-api.ts';
import { Description, type SentResponse } from '../../described/validate.ts';
import { findPort } from '../../find-port.ts';
import { until } from '../../time.ts';
import { assertProblem, sendBytes } from '../raw-request.ts';
import { startTestService } from '../service.ts';

const images = [
  '/v1/github/entities/a/contributions?format=svg',
  '/v1/github/entities/a/contributors?format=PNG&locale=de',
  '/v1/github/entities/a/achievements?format=svg,private=true',
  '/v1/github/entities/a/badges/community',
  '/v1/github/entities/a/repositories/b/badges/community?style=flat',
  '/v1/github/entities/a/contributions?format=svg&width=-1&locale=%00&title=%ff%ed%a0%80&accent_color=[]&hide=&columns=1e9',
] as const;

describe('start of a node', () => {
  it('listens before the tables are migrated, says that it is not ready, and is ready while it corrects stored times and waits', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using created = await createTestDatabase();
    const database = await openDatabase({ databaseUrl: created.url, dataDir: '/nonexistent', log: () => {} });
    const client = await database.pool.connect();
    const waiting = async (): Promise<number> => {
      const { rows } = await database.pool.query(
        `select from lookups where retry_at > now() + interval '3 days' or error_code = 'provider_rate_limited'`,
      );
      return rows.length;
    };
    const port = await findPort();
    try {
      await database.pool.query(
        `insert into lookups (key, state, error_code, retry_at)
         values ('look_up github/a', 'failed', 'provider_rate_limited', now() + interval '1 hour'),
           ('look_up github/b', 'absent', null, now() + interval '9 days')`,
      );
      await client.query('select pg_advisory_lock($1)', [advisoryLocks.migrations]);
      const settings = { HOST: '127.0.0.1', PORT: String(port) };
      const starting = startTestService({ simulator, databaseUrl: created.url, settings });
      starting.catch(() => {});
      const sent: SentResponse[] = [];
      const get = async (path: string, init?: RequestInit): Promise<Response> => {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, {
          headers: { accept: 'image/*, */*' },
          ...init,
        });
        sent.push({
          method: init?.method ?? 'GET',
          url: path,
          status: response.status,
          headers: Object.fromEntries(response.headers),
          body: Buffer.from(await response.clone().arrayBuffer()),
        });
        return response;
      };
      const health = await until(async () => get('/healthz').catch(() => undefined), 'the node listens');
      assert.deepEqual([health.status, await health.json()], [200, { status: 'ok' }]);
      for (const path of [
        '/readyz',
        '/v1/github/entities/ada-lovelace',
        '/v1/github/entities/a/contributions?format=json',
      ]) {
        const response = await get(path);
        const { status, headers } = response;
        assert.deepEqual([status, headers.get('retry-after')], [503, '5'], path);
        assert.match(String(headers.get('x-request-id')), /./);
        const { error } = (await response.json()) as { error: unknown };
        assert.deepEqual(error, { code: 0, type: 'overloaded', message: 'The service is starting.' });
      }
      const browser = { headers: { accept: 'text/html', 'accept-language': 'ar' } };
      for (const [path, locale] of [
        ['/', 'ar'],
        ['/github/ada-lovelace?lang=de', 'de'],
      ] as const) {
        const response = await get(path, browser);
        const { status, headers } = response;
        assert.deepEqual([status, headers.get('retry-after'), headers.get('cache-control')], [503, '5', 'no-store']);
        assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
        assert.match(String(headers.get('content-security-policy')), /default-src 'none'/);
        const page = await response.text();
        const { words } = toReader({ locale, isChosen: false });
        assert.ok(page.includes(`<html lang="${locale}"`) && page.includes(`href="">${words.refresh}</a>`), page);
        const sheet = await get(/href="(\/pages\/style-[^"]+)"/.exec(page)?.[1] ?? '');
        assert.deepEqual([sheet.status, sheet.headers.get('content-type')], [200, 'text/css; charset=utf-8']);
      }
      assertProblem(await sendBytes(`http://127.0.0.1:${port}`, 'GET\r\n\r\n'), 'bytes that are not HTTP');
      const form = await get('/sign-out', { method: 'POST', ...browser });
      assert.equal(form.status, 503);
      assert.doesNotMatch(await form.text(), /href=""/);
      for (const path of ['/readyz', '/v1/github/entities/ada-lovelace']) {
        assert.match(String((await get(path, browser)).headers.get('content-type')), /^application\/json/);
      }
      for (const path of images) {
        const response = await get(path);
        const { status, headers } = response;
        assert.deepEqual([status, headers.get('x-error-code'), headers.get('retry-after')], [200, '0', '5'], path);
        assert.equal(headers.get('content-type'), 'image/svg+xml; charset=utf-8');
        assert.match(await response.text(), /^<svg.*(?:Not available just now|Gerade nicht verfügbar)/s);
      }
      assert.equal((await get(images[0], { headers: { authorization: 'Bearer x' } })).status, 503);
      assert.equal((await get(images[0], { headers: { accept: '*/*' } })).status, 503);
      assert.equal((await get('/healthz', { method: 'POST' })).status, 503);
      assert.equal(await (await get('/healthz', { method: 'HEAD' })).text(), '');

      await client.query('begin');
      await client.query('select from lookups for update');
      await client.query('select pg_advisory_unlock($1)', [advisoryLocks.migrations]);
      await using service = await starting;
      assert.equal(service.url, `http://127.0.0.1:${port}`);
      assert.equal((await get('/readyz')).status, 200);
      assert.equal(await waiting(), 2);
      await client.query('rollback');
      await until(async () => ((await waiting()) === 0 ? true : undefined), 'both lookups may run again');
      const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;
      const description = new Description(document);
      assert.deepEqual(
        sent.flatMap((response) => description.faultsOf(response)),
        [],
      );
    } finally {
      client.release(true);
      await database.close();
    }
  });
});
