import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send } from '../../e2e/raw-request.ts';
import { keeper } from '../../integration/access/owner.ts';
import { shareStoredService } from './stored-service.ts';

describe('log and metrics of requests', () => {
  const shared = shareStoredService({ service: { settings: { LOG_LEVEL: 'trace', LOOKUP_BUDGET_MS: '100' } } });

  it('keeps requested names and paths out of the labels of metrics', async () => {
    await shared.service.get('ada-lovelace/contributions?v=marked-value');
    await shared.service.get('marked-name-of-nobody');
    await shared.service.get('/nowhere/marked-path');
    const metrics = await (await fetch(`${shared.service.service.metricsUrl}/metrics`)).text();
    assert.match(metrics, /http/);
    assert.doesNotMatch(metrics, /marked|ada-lovelace/);
  });

  it('serves hostile names and descriptions unchanged, and logs only valid JSON lines', async () => {
    const people = shared.simulator.world.accounts.filter(({ login }) => login.startsWith('person-'));
    for (const { login, name, bio } of people) {
      const [entity] = (await shared.service.get(login)).body.data;
      assert.deepEqual([entity?.['display_name'], entity?.['description']], [name ?? '', bio ?? '']);
    }
    assert.ok(shared.service.lines.length > 0);
    for (const line of shared.service.lines) assert.doesNotThrow(() => JSON.parse(line));
  });

  it('keeps text of requests out of the log, so that it cannot forge lines there', async () => {
    const { service } = shared;
    const logged = service.lines.length;
    const evil = encodeURIComponent('x\n{"level":"error","msg":"forged"}\r\n\u001b[31m');
    for (const path of [`/v1/github/entities/${evil}`, `/v1/${evil}/entities/a`, `/v1/github/entities/a?x=${evil}`]) {
      await send(service, path, 'GET', { authorization: `Bearer ${evil}` });
      await send(service, path, 'GET', { 'user-agent': 'x {"level":"error","msg":"forged"}' });
    }
    await send(service, `/v1/github/entities/${keeper.name}/token`, 'GET', { authorization: `Bearer ${evil}` });
    assert.ok(service.lines.length > logged);
    for (const line of service.lines) {
      const parsed = JSON.parse(line) as { msg?: string };
      assert.notEqual(parsed.msg, 'forged');
      assert.ok(!line.includes('forged'));
    }
  });
});
