import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { ada, bearer, engines, jsonRequest, serviceToken } from '../../integration/access/owner.ts';
import { prepareAwarding } from '../../integration/notifications/outbox.ts';
import { until } from '../../time.ts';
import { recordMessages } from '../../unit/outbound/receiver.ts';
import { startSteppedService } from '../sync/stepped-service.ts';

const now = (): Date => new Date();

describe('management of notifications', () => {
  it('lets owners alone list notifications in pages, send them again, and make secrets', async () => {
    let status = 410;
    await using receiver = await recordMessages(() => status);
    await using simulator = await startSimulator({ repositories: 2 });
    await using service = await startSteppedService({ simulator, settings: { OUTBOUND_ALLOW: receiver.host } });
    const token = await serviceToken(service, simulator, engines);
    const others = await serviceToken(service, simulator, ada);
    const awarding = await prepareAwarding(service.database, now, engines.name);
    const url = `${receiver.url}/hooks/secret-part`;
    await awarding.follow([{ name: 'hook', type: 'http', url, achievements: ['First', 'Second'] }]);
    const path = `${engines.name}/notifications`;
    const secrets = `${engines.name}/webhook-secrets`;

    const created = await service.get(secrets, jsonRequest('PUT', token, { url }));
    assert.equal(created.status, 200, created.text);
    const { data } = JSON.parse(created.text) as {
      data: { id: string; secret: string; former_until_dttm: string | null };
    };
    assert.equal(data.former_until_dttm, null);
    const listed = await service.get(secrets, bearer(token));
    assert.deepEqual(
      listed.body.data.map((secret) => [secret['id'], secret['url'], 'secret' in secret]),
      [[data.id, url, false]],
    );
    assert.ok(!listed.text.includes(data.secret));

    await awarding.award('First', ada.name);
    const dead = await until(async () => {
      const { body } = await service.get(`${path}?state=dead`, bearer(token));
      return body.data[0];
    }, 'it is given up');
    assert.deepEqual(
      [dead['type'], dead['to'], dead['person'], dead['achievement_name'], dead['attempts'], dead['error']],
      ['http', receiver.host, ada.name, 'First', 1, 'responded with status 410'],
    );
    assert.equal(dead['next_attempt_dttm'], null);
    assert.ok(service.lines.some((line) => line.includes('was given up') && line.includes(String(dead['id']))));
    assert.ok(!service.lines.some((line) => line.includes('secret-part')), 'addresses are not in the log');
    const metrics = await (await fetch(`${service.service.metricsUrl}/metrics`)).text();
    assert.match(metrics, /plaudit_notifications_total\{kind="http",outcome="dead"\} 1/);

    const retry = `${path}/${String(dead['id'])}/retry`;
    assert.equal((await service.get(retry, jsonRequest('POST', others))).status, 403);
    assert.equal((await service.get(retry, { method: 'POST' })).status, 401);
    status = 200;
    assert.equal((await service.get(retry, jsonRequest('POST', token))).status, 200);
    await until(async () => receiver.heard[1], 'it is sent again');
    const [first, second] = receiver.heard;
    assert.deepEqual([second?.id, second?.text], [first?.id, first?.text]);
    const verified = new Webhook(data.secret).verify(second?.text ?? '', second?.headers ?? {});
    assert.equal((verified as { type: string }).type, 'achievement.awarded');
    await until(async () => {
      const { body } = await service.get(`${path}?state=sent`, bearer(token));
      return body.data[0];
    }, 'it is shown as sent');
    assert.equal((await service.get(retry, jsonRequest('POST', token))).status, 409);
    const unknown = `${path}/00000000-0000-7000-8000-000000000000/retry`;
    assert.equal((await service.get(unknown, jsonRequest('POST', token))).status, 404);

    assert.equal((await service.get(`${secrets}/${data.id}`, jsonRequest('DELETE', token))).status, 204);
    assert.equal((await service.get(`${secrets}/${data.id}`, jsonRequest('DELETE', token))).status, 404);
    const audit = (await service.get(`${engines.name}/audit?limit=100`, bearer(token))).body.data.map(
      ({ action }) => action,
    );
    assert.deepEqual(audit.slice(0, 3), ['webhook_secret_removed', 'notification_retried', 'webhook_secret_made']);

    await awarding.follow([{ name: 'hook', type: 'http', url: receiver.url, achievements: ['First'] }]);
    for (const person of ['p1', 'p2', 'p3', 'p4', 'p5']) await awarding.award('First', person);
    const all = (await service.get(path, bearer(token))).body.data.map(({ id }) => id);
    const paged: unknown[] = [];
    for (let next: string | undefined = ''; next !== undefined; ) {
      const { body } = await service.get(
        `${path}?limit=2${next && `&after=${encodeURIComponent(next)}`}`,
        bearer(token),
      );
      paged.push(...body.data.map(({ id }) => id));
      next = body.next_cursor;
    }
    assert.deepEqual([paged, paged.length], [all, 6]);

    for (const address of [`${engines.name}/notifications`, secrets]) {
      assert.equal((await service.get(address)).status, 401);
      assert.equal((await service.get(address, bearer(others))).status, 403);
    }
    for (const body of [
      {},
      { url: 'nonsense' },
      { url: 'ftp://x.example/' },
      { url: 1 },
      { url: 'x'.repeat(3000) },
      { url: 'http://x.example/' },
      { url: 'http://127.0.0.1/' },
      { url: 'https://[::1]/' },
      { url: 'https://x.example:8443/' },
    ]) {
      assert.equal((await service.get(secrets, jsonRequest('PUT', token, body))).status, 400, JSON.stringify(body));
    }
  });
});
