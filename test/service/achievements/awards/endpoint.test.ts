import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Simulator } from '../../../../simulators/github/simulator.ts';
import { addIssue } from '../../../../simulators/world/activity.ts';
import { setVisibility } from '../../../../simulators/world/mutations.ts';
import { addCollaborator, removeCollaborator } from '../../../../simulators/world/repository-changes.ts';
import { untilIdle } from '../../../e2e/access/state.ts';
import { personCalled } from '../../../e2e/achievements/awarding/actions.ts';
import { awardingRepository, install, writeAchievementsFile } from '../../../e2e/achievements/awarding/awarding.ts';
import type { TestService } from '../../../e2e/service.ts';
import { shareService } from '../../../e2e/shared-service.ts';
import { bearer, engines, jsonRequest, serviceToken } from '../../../integration/access/owner.ts';
import { type NamedText, simple } from '../../../integration/achievements/awards/every-feature.ts';
import { until } from '../../../time.ts';
import { startSteppedApp } from '../../sync/stepped-service.ts';

const ada = { name: 'ada-lovelace', token: 'user' } as const;
const list = `${ada.name}/achievements`;

/** Starts a service in which Ada has earned three achievements, in known order. */
async function withAwards(simulator: Simulator): Promise<TestService & AsyncDisposable> {
  const achievements: NamedText[] = [
    simple('One', 'author issue: count() >= 1', { icon: 'docs/one.png', description: 'The first.' }),
    simple('Two', 'author issue: count() >= 2', { icon: 'https://example.org/two.svg' }),
    simple('Three', 'author issue: count() >= 3'),
  ];
  for (const day of [1, 2, 3]) {
    const createdAt = new Date(Date.UTC(2014, 0, day));
    addIssue(simulator.world, awardingRepository(simulator), { author: personCalled(simulator, ada.name), createdAt });
  }
  writeAchievementsFile(simulator, { pointActions: [], achievements });
  const service = await startSteppedApp(simulator);
  try {
    await install(service, simulator);
    await namesUntil(service, ['Three', 'Two', 'One']);
    return service;
  } catch (error) {
    await service[Symbol.asyncDispose]();
    throw error;
  }
}

async function namesUntil(service: TestService, names: string[], path = list, init?: RequestInit): Promise<void> {
  let seen: unknown;
  await until(async () => {
    const { body } = await service.get(path, init);
    seen = body.data?.map(({ name }) => name) ?? [];
    return JSON.stringify(seen) === JSON.stringify(names) ? true : undefined;
  }, 'these are shown').catch(() => assert.deepEqual(seen, names));
}

describe('the list of awards', () => {
  const shared = shareService({ simulator: { repositories: 1 }, start: withAwards });

  it('lists awards newest first in pages, and lets only the owner of a repository revoke and restore them', async () => {
    const { simulator, service } = shared;
    const { body, headers } = await service.get(list);
    assert.deepEqual(body.meta_data, { count: 3, data_type: 5, includes_private: false });
    const [newest, middle, oldest] = body.data;
    assert.match(String(oldest?.['id']), /^[\da-f-]{36}$/);
    assert.deepEqual(
      { ...oldest, id: '' },
      {
        id: '',
        repository_name: 'engine-1',
        name: 'One',
        icon_url: `${simulator.url}/${engines.name}/engine-1/raw/HEAD/docs/one.png`,
        description: 'The first.',
        awarded_dttm: '2014-01-01T00:00:00Z',
      },
    );
    assert.deepEqual([middle?.['icon_url'], newest?.['icon_url']], ['https://example.org/two.svg', '']);
    assert.match(headers.get('cache-control') ?? '', /^public, max-age=\d+/);
    const drawn = await service.get(`${list}?format=svg`);
    assert.equal(drawn.headers.get('content-type'), 'image/svg+xml; charset=utf-8');
    assert.match(drawn.text, /Three/);
    const first = await service.get(`${list}?limit=2`);
    const second = await service.get(`${list}?limit=2&after=${first.body.next_cursor}`);
    assert.deepEqual([...first.body.data, ...second.body.data], body.data);
    assert.equal(second.body.next_cursor, undefined);
    const back = await service.get(`${list}?limit=2&before=${second.body.previous_cursor}`);
    assert.deepEqual(back.body.data, first.body.data);
    const others = await service.get(`max-member/achievements?after=${first.body.next_cursor}`);
    assert.equal(others.status, 400);
    assert.equal((await service.get(`${list}?limit=0`)).status, 400);
    assert.equal((await service.get('nobody-at-all/achievements')).status, 404);

    const owner = await serviceToken(service, simulator, engines);
    const tokenOfAda = await serviceToken(service, simulator, ada);
    const id = String((await service.get(list)).body.data[1]?.['id']);
    const address = (name: string, award = id): string => `${name}/achievements/${award}`;
    const reason = { reason: 'Made by a script.' };
    const refused: [string, RequestInit, number][] = [
      [address(engines.name), { method: 'DELETE' }, 401],
      [address(engines.name), jsonRequest('DELETE', tokenOfAda, reason), 403],
      [address(ada.name), jsonRequest('DELETE', tokenOfAda, reason), 404],
      [address(engines.name), jsonRequest('DELETE', owner, {}), 400],
      [address(engines.name), jsonRequest('DELETE', owner, { reason: '' }), 400],
      [address(engines.name, 'not-an-id'), jsonRequest('DELETE', owner, reason), 400],
      [address(engines.name, '01a1feb7-6352-7501-8a3e-2fa1b4f7ceff'), jsonRequest('DELETE', owner, reason), 404],
    ];
    for (const [path, init, status] of refused) {
      const response = await service.get(path, {
        ...init,
        ...(init.body === undefined &&
          init.method === 'DELETE' && {
            ...jsonRequest('DELETE', '', reason),
            headers: { 'content-type': 'application/json' },
          }),
      });
      assert.equal(response.status, status, `${path} ${response.text}`);
    }
    for (let times = 0; times < 2; times += 1) {
      assert.equal((await service.get(address(engines.name), jsonRequest('DELETE', owner, reason))).status, 204);
    }
    await namesUntil(service, ['Three', 'One']);
    // All people are evaluated again: the revoked award is not given again.
    await service.database.pool.query(
      'insert into pending_evaluations (repository_id) select repository_id from achievements limit 1',
    );
    await service.database.pool.query("select graphile_worker.add_job('award_due')");
    await untilIdle(service);
    await namesUntil(service, ['Three', 'One']);
    assert.equal((await service.get(address(engines.name), jsonRequest('PUT', owner))).status, 204);
    await namesUntil(service, ['Three', 'Two', 'One']);
    assert.equal((await service.get(list)).body.data[1]?.['id'], id);
    const audit = await service.get(`${engines.name}/audit`, bearer(owner));
    const recorded = audit.body.data.filter(({ action }) => String(action).startsWith('award_'));
    assert.deepEqual(
      recorded.map(({ action, subject }) => [action, subject]),
      [
        ['award_restored', id],
        ['award_revoked', `${id}: Made by a script.`],
      ],
    );
  });

  it('shows private awards to their earner while the host confirms access, to others by consent', async () => {
    const { simulator, service } = shared;
    const { world } = simulator;
    const { pool } = service.database;
    const person = personCalled(simulator, ada.name);
    const repository = awardingRepository(simulator);
    const saysHowRare = async (init?: RequestInit): Promise<boolean> =>
      (await service.get(`${list}?format=svg`, init)).text.includes('>Held by 1<');
    assert.equal(await saysHowRare(), true);
    const { rows: awards } = await pool.query<{ id: string }>('select id from awards');
    setVisibility(world, repository, 'private');
    await namesUntil(service, []);
    const own = bearer(await serviceToken(service, simulator, ada));
    await until(async () => {
      await service.work?.();
      const { rows } = await pool.query(
        "select 1 from repositories where name = 'engine-1' and deleted_at is null and is_private",
      );
      return rows.length > 0 ? true : undefined;
    }, 'the private repository is known as such');

    // The addresses of her commits and her issues of the past prove nothing.
    const asked = (): number => simulator.requests.filter(({ name }) => name.endsWith('/permission')).length;
    const before = asked();
    const assertHidden = async (init?: RequestInit): Promise<void> => {
      await namesUntil(service, [], list, init);
      assert.ok(!(await service.get(`${list}?format=svg`, init)).text.includes('Three'));
      for (const { id } of awards) {
        assert.equal((await service.get(`${list}/${id}`, init)).status, 404);
        assert.equal((await service.get(`${list}/${id}/credential`, init)).status, 404);
      }
      const { text } = await service.get(`${ada.name}/export`, own);
      assert.doesNotMatch(text, /engine-1|"type" ?: ?"(?:award|told_award)"/);
    };
    await assertHidden(own);
    assert.equal(asked(), before + 1);

    // The App delivers both changes.
    addCollaborator(world, repository, person);
    await namesUntil(service, ['Three', 'Two', 'One'], list, own);
    const response = await service.get(list, own);
    assert.deepEqual(
      response.body.data.map((award) => [award['repository_name'], award['icon_url']]),
      [
        ['engine-1', ''],
        ['engine-1', 'https://example.org/two.svg'],
        ['engine-1', ''],
      ],
    );
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    assert.equal(await saysHowRare(own), false);
    assert.match((await service.get(`${ada.name}/export`, own)).text, /"type" ?: ?"award"/);

    removeCollaborator(world, repository, person);
    await assertHidden(own);
    // Without a delivery the word of the host counts for less than a day.
    const age = () => pool.query(`update awards set access_checked_at = now() - interval '23 hours'`);
    repository.collaboratorIds.push(person.id);
    await age();
    await namesUntil(service, ['Three', 'Two', 'One'], list, own);
    repository.collaboratorIds.pop();
    await age();
    await assertHidden(own);
    repository.collaboratorIds.push(person.id);
    await age();
    await namesUntil(service, ['Three', 'Two', 'One'], list, own);
    const owners = bearer(await serviceToken(service, simulator, engines));
    assert.deepEqual((await service.get(list, owners)).body.data, []);
    // The repository's own name is not hers to publish.
    const token = await serviceToken(service, simulator, ada);
    await service.get(`${ada.name}/settings`, jsonRequest('PUT', token, { publish_private_contributions: true }));
    await namesUntil(service, ['Three', 'Two', 'One']);
    const consented = await service.get(list);
    assert.deepEqual(consented.body.meta_data, { count: 3, data_type: 5, includes_private: true });
    assert.ok(!consented.text.includes('engine-1'));
    assert.equal(await saysHowRare(), false);
    await service.get(`${ada.name}/settings`, jsonRequest('PUT', token, { hidden: true }));
    await until(async () => ((await service.get(list)).status === 404 ? true : undefined), 'she is hidden');

    await service.get(`${ada.name}/settings`, jsonRequest('PUT', token, { hidden: false }));
    setVisibility(simulator.world, awardingRepository(simulator), 'public');
    await until(async () => {
      const { text } = await service.get(list);
      return text.includes('engine-1') ? true : undefined;
    }, 'the repository is public again');
    const accounts = await pool.query<{ id: string }>('select id from accounts where name = $1', [ada.name]);
    const exported = await service.get(`${ada.name}/export`, bearer(await serviceToken(service, simulator, ada)));
    assert.equal(exported.text.match(/"type" ?: ?"award"/g)?.length, 3);
    assert.equal((await service.get(ada.name, jsonRequest('DELETE', token))).status, 204);
    addIssue(simulator.world, awardingRepository(simulator), { author: personCalled(simulator, ada.name) });
    await pool.query('insert into pending_evaluations (repository_id) select repository_id from achievements limit 1');
    await untilIdle(service);
    assert.equal((await service.get(list)).status, 404);
    const { rows: left } = await pool.query(
      'select 1 from awards where account_id = $1 union all select 1 from pending_evaluations where account_id = $1',
      [accounts.rows[0]?.id],
    );
    assert.equal(left.length, 0);
  });
});
