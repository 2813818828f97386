import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { Agent, fetch as send } from 'undici';
import { startSimulator } from '../../simulators/github/simulator.ts';
import type { ServiceResponse, TestService } from '../e2e/service.ts';
import { findPort } from '../find-port.ts';
import { missingProxy, proxies, startProxy } from '../servers/proxy.ts';
import { walkBelow } from '../service/http/linked-addresses.ts';
import { startStoredService } from '../service/http/stored-service.ts';
import { formToken, signIn, signInSettings } from '../service/pages/signed-in.ts';

const base = '/team/plaudit';

describe('shipped proxies', () => {
  for (const name of proxies) {
    for (const isStripping of [false, true]) {
      const title = `serve pages, forms, cards and settings below a path that ${name} ${isStripping ? 'strips' : 'leaves'}`;
      it(title, { skip: missingProxy(name) }, async () => {
        const port = await findPort();
        const host = `https://localhost:${port}`;
        await using simulator = await startSimulator({ repositories: 1 });
        const settings = { ...signInSettings, PUBLIC_URL: `${host}${base}`, TRUST_PROXY: 'loopback' };
        await using service = await startStoredService({ holdsWorld: true, simulator, settings });
        await using proxy = await startProxy(name, {
          port,
          target: Number(new URL(service.url).port),
          base,
          isStripping,
        });
        const dispatcher = new Agent({ connect: { ca: await readFile(proxy.caFile) } });
        const get = async (path: string, init: RequestInit = {}): Promise<ServiceResponse> => {
          const address = `${host}${path.startsWith(base) ? path : base + path}`;
          const response = await send(address, {
            method: init.method ?? 'GET',
            headers: Object.fromEntries(new Headers(init.headers)),
            body: typeof init.body === 'string' ? init.body : null,
            redirect: 'manual',
            dispatcher,
          });
          const headers = new Headers([...response.headers]);
          return {
            status: response.status,
            headers,
            text: await response.text(),
            body: { data: [], meta_data: { count: 0 } },
          };
        };
        const seen = await walkBelow((path, init) => get(path, init), { host, base }, { most: 90 });
        assert.ok(seen.size > 60, String(seen.size));
        const page = await get('/docs');
        assert.equal(page.headers.get('strict-transport-security'), 'max-age=31536000');
        const behind: TestService = { ...service, get: (path, init) => get(path, init) };
        const visitor = await signIn(behind, simulator, 'private_owner');
        const section = '/settings/github/secret-keeper/privacy';
        const form = await visitor.get(section);
        assert.equal(form.status, 200, form.text);
        assert.ok(form.text.includes(`action="${base}/`) || !form.text.includes('action="/'), form.text);
        const fields = { form_token: formToken(form), action: 'change', boards_repository: '' };
        const changed = await visitor.post(section, fields);
        assert.equal(changed.headers.get('location'), `${base}${section}?done`);
        await dispatcher.close();
      });
    }
  }
});
