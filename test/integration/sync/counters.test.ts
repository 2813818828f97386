import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addIssue } from '../../../simulators/world/activity.ts';
import { toCounters } from '../../../simulators/world/expected-totals.ts';
import { sampled } from '../../depth.ts';
import { openLookupFixture } from './lookup-fixture.ts';

describe('counters that a lookup stores', () => {
  it('are fetched with one request where GitHub can compute them, in pieces elsewhere, and are true', async () => {
    await using fixture = await openLookupFixture();
    const { world, accounts, requests } = fixture.simulator;
    await fixture.lookUp(accounts.user);
    assert.deepEqual(
      requests.map(({ name, cost }) => [name, cost]),
      [['Account', 1]],
    );
    await fixture.lookUp(accounts.heavy);
    assert.ok(requests.some(({ status }) => status === 502));
    const present = world.accounts.filter(({ isDeleted, nextLogin }) => !isDeleted && nextLogin === null);
    const users = present.filter(({ type }) => type === 'User');
    const bots = present.filter(({ type }) => type === 'Bot');
    assert.ok(bots.length > 0);
    for (const { login } of [...sampled(users, 6), ...bots]) {
      const expected = world.accountByLogin(login);
      const { account } = (await fixture.lookUp(login)) ?? assert.fail(login);
      assert.deepEqual(
        [account.name, account.type, account.displayName],
        [login, expected?.type.toLowerCase(), expected?.name ?? ''],
      );
      const { counters, missing } = await fixture.counters(login);
      if (expected?.type === 'User') {
        assert.deepEqual(counters, toCounters(world, login), login);
        assert.deepEqual(missing, []);
      } else assert.ok(missing.includes('commits'));
    }
  });

  it('are listed as missing where GitHub cannot count them, and not counted as zero', async () => {
    await using fixture = await openLookupFixture({ heavyLimit: 0 });
    const { world, accounts } = fixture.simulator;
    await fixture.lookUp(accounts.heavy);
    const { counters, missing } = await fixture.counters(accounts.heavy);
    const expected = toCounters(world, accounts.heavy);
    assert.ok(missing.includes('commits'));
    assert.equal(counters.commits, null);
    assert.deepEqual([counters.issues, counters.stars], [expected?.issues, expected?.stars]);
  });

  it('include only public contributions, with any token', async () => {
    const tokensOfService = [['user'], ['public_only'], ['private_owner'], ['user', 'public_only']] as const;
    for (const tokenNames of sampled(tokensOfService, 2)) {
      await using fixture = await openLookupFixture({ tokenNames });
      const { world, accounts } = fixture.simulator;
      for (const login of [accounts.user, accounts.private_owner]) {
        await fixture.lookUp(login);
        const { counters } = await fixture.counters(login);
        assert.deepEqual(counters, toCounters(world, login), `${tokenNames.join()} ${login}`);
      }
    }
  });

  it('are complete except for the one that needs repositories of an organization that refuses the token', async () => {
    for (const refusal of sampled(['saml', 'ip_allow_list'] as const, 2)) {
      await using fixture = await openLookupFixture();
      const { world, accounts, refusing } = fixture.simulator;
      const user = world.accountByLogin(accounts.user) ?? assert.fail();
      addIssue(world, world.repository(accounts.organization, 'engine-1') ?? assert.fail(), { author: user });
      refusing.refuse(accounts.organization, refusal);
      await fixture.lookUp(accounts.user);
      const { counters, missing } = await fixture.counters(accounts.user);
      assert.deepEqual(counters, { ...toCounters(world, accounts.user), contributed_to: null });
      assert.deepEqual(missing, ['contributed_to']);
      const [skip] = fixture.skips;
      assert.equal(skip?.reason, 'refused');
      assert.match(skip.explanation, refusal === 'saml' ? /SAML/ : /analytical-engines/);
    }
  });

  it('are read in smaller pieces where GitHub fails to compute them', async () => {
    await using fixture = await openLookupFixture();
    const { world, accounts, faults } = fixture.simulator;
    const window = { from: '2024-01-01T00:00:00Z', to: '2024-12-31T23:59:59Z' };
    faults.add({ kind: 'field_error', fields: ['User.contributionsCollection'], where: window, times: 1000 });
    await fixture.lookUp(accounts.user);
    const { counters, missing } = await fixture.counters(accounts.user);
    assert.deepEqual(counters, toCounters(world, accounts.user));
    assert.deepEqual(missing, []);
  });

  it('are missing where GitHub fails to compute them and there are no smaller pieces, and the others are true', async () => {
    await using fixture = await openLookupFixture();
    const { world, accounts, faults } = fixture.simulator;
    faults.add({ kind: 'field_error', fields: ['User.repositoryDiscussions'], times: 1000 });
    await fixture.lookUp(accounts.user);
    const { counters, missing } = await fixture.counters(accounts.user);
    assert.deepEqual(counters, { ...toCounters(world, accounts.user), discussions: null });
    assert.deepEqual(missing, ['discussions']);
  });
});

describe('lookup of an organization that refuses the token', () => {
  it('looks it up without a credential where that is permitted', async () => {
    await using fixture = await openLookupFixture();
    const { accounts, refusing } = fixture.simulator;
    refusing.refuse(accounts.organization, 'ip_allow_list');
    const { account } = (await fixture.lookUp(accounts.organization)) ?? assert.fail();
    assert.deepEqual([account.name, account.type], [accounts.organization, 'organization']);
  });
});
