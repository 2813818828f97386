import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renameAccount, takeLogin } from '../../../simulators/world/mutations.ts';
import { addMember, removeMember } from '../../../simulators/world/repository-changes.ts';
import { organization } from '../../e2e/installations/installed.ts';
import { bearer, engines, fromOwnAddress } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import {
  asAdministrator,
  checkNow,
  createKey,
  daysS,
  embed,
  type Fixture,
  findAudit,
  openFixture,
  person,
} from './former-administrators.ts';

function remove({ simulator }: Fixture, name: 'olive' | 'max'): void {
  removeMember(simulator.world, organization(simulator), person(simulator, name));
}

async function findStatus({ service }: Fixture, path: string): Promise<number> {
  const { status } = await service.get(path, fromOwnAddress({}));
  return status === 202 ? 200 : status;
}

describe('revocation of keys and embed links of former administrators', () => {
  it('shows who registered a key or link, and until when it works', async () => {
    await using fixture = await openFixture();
    const { time } = fixture;
    const key = createKey(fixture);
    assert.equal((await key.register('olive')).status, 200);
    const byKey = await embed(key.request);
    const max = await asAdministrator(fixture, 'max');
    const byToken = await embed(max);
    // The first check of each is queued at once.
    const { rows } = await fixture.service.database.pool.query(
      "select 1 from graphile_worker.jobs where task_identifier = 'check_administrator'",
    );
    assert.equal(rows.length, 2);
    await checkNow(fixture);
    const [listed] = (await max('/keys')).body.data;
    const confirmed = time.now().toISOString().replace('.000', '');
    const ends = new Date(time.now().getTime() + 400 * daysS * 1000).toISOString().replace('.000', '');
    const { registered_by, confirmed_dttm, state, ends_dttm } = listed ?? {};
    assert.deepEqual(
      { registered_by, confirmed_dttm, state, ends_dttm },
      { registered_by: 'github/olive-admin', confirmed_dttm: confirmed, state: 'active', ends_dttm: ends },
    );
    const links = (await max('/embeds')).body.data.map((link) => [
      link['id'],
      link['registered_by'],
      link['ends_dttm'],
    ]);
    assert.deepEqual(links, [
      [byToken.id, 'github/max-member', null],
      [byKey.id, 'github/olive-admin', null],
    ]);
    const { data } = JSON.parse((await max('/status')).text) as { data: { administrators: object } };
    assert.deepEqual(data.administrators, { can_check: true, message: null });
    const exported = (await max('/export')).text;
    assert.match(exported, /"type" ?: ?"administrator"/);
    assert.match(exported, /"holder_name": ?"github\/olive-admin"/);
  });

  it('ends them at the daily check when no delivery reports that the person was removed or demoted', async () => {
    await using fixture = await openFixture();
    const { simulator, time } = fixture;
    for (const change of ['removed', 'demoted'] as const) {
      addMember(simulator.world, organization(simulator), person(simulator, 'olive'), 'admin');
      const key = createKey(fixture);
      await key.register('olive');
      const link = await embed(key.request);
      const token = await asAdministrator(fixture, 'olive');
      await checkNow(fixture);
      if (change === 'removed') remove(fixture, 'olive');
      else addMember(simulator.world, organization(simulator), person(simulator, 'olive'), 'member');
      await checkNow(fixture);
      assert.equal((await key.request('/audit')).status, 200, 'the next check is due in a day');
      assert.equal((await token('/audit')).status, 200);
      time.advance(daysS - 60);
      const fresh = await asAdministrator(fixture, 'max');
      time.advance(120);
      await checkNow(fixture);
      const refused = await key.request('/audit');
      assert.equal(refused.status, 401);
      assert.match(refused.body.error?.message ?? '', /key .* is ended/);
      assert.equal(await findStatus(fixture, link.path), 404);
      const listed = (await fresh('/keys')).body.data.find(({ id }) => id === key.id);
      assert.equal(listed?.['state'], 'ended', change);
    }
  });

  it('checks before settings change, and before an export and an erasure', async () => {
    await using fixture = await openFixture();
    const { simulator } = fixture;
    for (const [path, method, body] of [
      ['/settings', 'PUT', { hidden: true }],
      ['/export', 'GET', undefined],
      ['', 'DELETE', undefined],
    ] as const) {
      for (const by of ['key', 'token'] as const) {
        addMember(simulator.world, organization(simulator), person(simulator, 'olive'), 'admin');
        const key = createKey(fixture);
        await key.register('olive');
        const token = await asAdministrator(fixture, 'olive');
        const request = by === 'key' ? key.request : token;
        remove(fixture, 'olive');
        const refused = await request(path, method, body);
        assert.equal(refused.status, 403, `${method} ${path} by ${by}`);
        assert.match(refused.body.error?.message ?? '', /github\/olive-admin no longer administers/);
        for (const again of [() => key.request('/audit'), () => token('/audit')]) {
          await until(async () => ((await again()).status === 401 ? true : undefined), 'the token is refused');
        }
        const max = await asAdministrator(fixture, 'max');
        assert.equal((await max('/settings')).body.error, undefined);
      }
    }
  });

  it('suspends them after 7 days without a response of the host, and resumes them with the next one', async () => {
    await using fixture = await openFixture();
    const { simulator, service, time } = fixture;
    const key = createKey(fixture);
    await key.register('olive');
    const link = await embed(key.request);
    await checkNow(fixture);
    simulator.faults.add({ kind: 'bad_gateway', on: 'GET /user/memberships', times: 1000 });
    time.advance(6 * daysS);
    await checkNow(fixture);
    assert.equal((await key.request('/audit')).status, 200);
    assert.equal((await key.request('/settings', 'PUT', { hidden: false })).status, 200);
    time.advance(0.5 * daysS);
    const lasting = bearer(key.sign(daysS));
    assert.equal((await service.get(`${engines.name}/audit`, fromOwnAddress(lasting))).status, 200);
    time.advance(0.75 * daysS);
    assert.equal(
      (await service.get(`${engines.name}/audit`, fromOwnAddress(lasting))).status,
      401,
      'no cached verification',
    );
    time.advance(0.25 * daysS);
    const refused = await key.request('/audit');
    assert.equal(refused.status, 401);
    assert.match(refused.body.error?.message ?? '', /is suspended/);
    assert.equal(await findStatus(fixture, link.path), 404);
    assert.deepEqual(await checkNow(fixture), ['checking an administrator']);
    simulator.faults.clear();
    time.advance(2 * 3600);
    await checkNow(fixture);
    assert.equal((await key.request('/audit')).status, 200);
    assert.equal(await findStatus(fixture, link.path), 200);
    const changes = (await findAudit(fixture)).slice(-4);
    assert.deepEqual(changes, [
      'key_suspended service',
      'embed_suspended service',
      'key_resumed service',
      'embed_resumed service',
    ]);
  });

  it('ends them after 30 days where no credential can check, unless they are renewed', async () => {
    await using fixture = await openFixture({ tokens: ['public_only'] });
    const { time } = fixture;
    const [renewed, left] = [createKey(fixture), createKey(fixture)];
    await renewed.register('olive');
    await left.register('max');
    const link = await embed(left.request);
    await checkNow(fixture);
    const administrator = await asAdministrator(fixture, 'max');
    const status = await administrator('/status');
    assert.match(status.text, /"administrators":\{"can_check":false,"message":"Keys and links of this account end 30/);
    const [listed] = (await administrator('/keys')).body.data;
    const end = new Date(time.now().getTime() + 30 * daysS * 1000).toISOString().replace('.000', '');
    assert.equal(listed?.['ends_dttm'], end);
    time.advance(29 * daysS);
    await checkNow(fixture);
    for (const key of [renewed, left]) assert.equal((await key.request('/audit')).status, 200);
    assert.equal((await renewed.register('olive')).status, 200);
    time.advance(2 * daysS);
    assert.equal((await left.request('/audit')).status, 401);
    assert.equal(await findStatus(fixture, link.path), 404);
    await checkNow(fixture);
    assert.equal((await renewed.request('/audit')).status, 200);
    const later = await asAdministrator(fixture, 'max');
    assert.equal(await findStatus(fixture, link.path), 404, 'a proof does not renew what has ended');
    assert.equal((await later(`/embeds/${link.id}`, 'PUT')).status, 204);
    assert.equal(await findStatus(fixture, link.path), 200);
    const audit = await findAudit(fixture);
    assert.deepEqual(audit.slice(-4), [
      'key_renewed github/olive-admin',
      'key_ended service',
      'embed_ended service',
      'embed_renewed github/max-member',
    ]);
  });

  it('lets another administrator take over a key by registering it, and a link by renewing it', async () => {
    await using fixture = await openFixture();
    const { time } = fixture;
    const key = createKey(fixture);
    await key.register('olive');
    const link = await embed(key.request);
    remove(fixture, 'olive');
    time.advance(2 * daysS);
    await checkNow(fixture);
    assert.equal((await key.request('/audit')).status, 401);
    assert.equal((await key.register('max')).status, 200);
    assert.equal((await key.request('/audit')).status, 200);
    assert.equal(await findStatus(fixture, link.path), 404);
    const max = await asAdministrator(fixture, 'max');
    assert.equal((await max(`/embeds/${link.id}`, 'PUT')).status, 204);
    assert.equal((await max('/embeds/00000000-0000-7000-8000-000000000000', 'PUT')).status, 404);
    assert.equal(await findStatus(fixture, link.path), 200);
    for (const path of ['/keys', '/embeds']) {
      const [{ registered_by, state } = {}] = (await max(path)).body.data;
      assert.deepEqual([registered_by, state], ['github/max-member', 'active'], path);
    }
    const audit = await findAudit(fixture);
    assert.deepEqual(audit.slice(-2), ['key_taken_over github/max-member', 'embed_taken_over github/max-member']);
  });

  it('follows the person through a rename, and not the account that takes the former login', async () => {
    await using fixture = await openFixture();
    const { simulator, time } = fixture;
    const key = createKey(fixture);
    await key.register('olive');
    const olive = person(simulator, 'olive');
    renameAccount(simulator.world, olive, 'olive-renamed');
    const successor = takeLogin(simulator.world, 'olive-admin');
    time.advance(2 * daysS);
    await checkNow(fixture);
    assert.equal((await key.request('/audit')).status, 200);
    addMember(simulator.world, organization(simulator), successor, 'admin');
    removeMember(simulator.world, organization(simulator), olive);
    time.advance(2 * daysS);
    await checkNow(fixture);
    assert.equal((await key.request('/audit')).status, 401);
  });

  it('revives nothing that has ended when the person becomes an administrator again', async () => {
    await using fixture = await openFixture();
    const { simulator, time } = fixture;
    const key = createKey(fixture);
    await key.register('olive');
    remove(fixture, 'olive');
    time.advance(2 * daysS);
    await checkNow(fixture);
    addMember(simulator.world, organization(simulator), person(simulator, 'olive'), 'admin');
    const token = simulator.tokens.organization_admin;
    assert.equal((await fixture.service.get(`${engines.name}/token`, fromOwnAddress(bearer(token)))).status, 200);
    assert.equal((await key.request('/audit')).status, 401);
    assert.equal((await key.register('olive')).status, 200);
    assert.equal((await key.request('/audit')).status, 200);
  });
});
