import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renameAccount, takeLogin } from '../../../simulators/world/mutations.ts';
import { clock } from '../../time.ts';
import { type LookupFixture, openLookupFixture } from './lookup-fixture.ts';

const name = 'ada-lovelace';

/** Looks an account up. @returns its id, and a function that refreshes it an hour later. */
async function lookUpOnce(fixture: LookupFixture, advance: (seconds: number) => void) {
  const { account } = (await fixture.lookUp(name)) ?? assert.fail();
  const refresh = (): Promise<void> => {
    advance(3700);
    return fixture.refresh(account.id);
  };
  return { id: account.id, refresh };
}

describe('lookups', () => {
  it('leave a stored account as it is while GitHub fails', async () => {
    const { now, advance } = clock();
    await using fixture = await openLookupFixture({ now, repositories: 1 });
    const { faults, requests } = fixture.simulator;
    const { refresh } = await lookUpOnce(fixture, advance);
    const stored = async (): Promise<object[]> => [(await fixture.find(name)) ?? {}, await fixture.counters(name)];
    const before = await stored();
    const kinds = ['unavailable', 'drop_before', 'malformed', 'primary_limit', 'secondary_limit_in_200'] as const;
    for (const kind of kinds) {
      faults.clear();
      faults.add({ kind, times: 1000 });
      const requestCount = requests.length;
      await assert.rejects(refresh(), { name: 'AppError' }, kind);
      assert.ok(requests.length > requestCount, kind);
      assert.deepEqual(await stored(), before, kind);
    }
  });

  it('end with the path of the value when the identity is unreadable', async () => {
    await using fixture = await openLookupFixture({ repositories: 1 });
    fixture.simulator.faults.add({ kind: 'surprise', path: ['data', 'account', 'databaseId'], value: 'many' });
    await assert.rejects(fixture.lookUp('person-1'), {
      code: 'provider_invalid_response',
      message: /account\/databaseId/,
    });
    assert.equal(await fixture.find('person-1'), undefined);
  });

  it('follow a rename in a refresh, even when only the letter case changes', async () => {
    const { now, advance } = clock();
    await using fixture = await openLookupFixture({ now, repositories: 1 });
    const { world } = fixture.simulator;
    const { id, refresh } = await lookUpOnce(fixture, advance);
    const account = world.accountByLogin(name) ?? assert.fail();
    for (const login of ['ada-king', 'Ada-King']) {
      renameAccount(world, account, login);
      await refresh();
      const renamed = (await fixture.find('ada-king')) ?? assert.fail(login);
      assert.deepEqual([renamed.state, renamed.account.name, renamed.account.id], ['present', login, id]);
    }
    assert.equal((await fixture.find(name))?.state, 'renamed');
  });

  it('find an account under a former name until another account takes it', async () => {
    const { now, advance } = clock();
    await using fixture = await openLookupFixture({ now, repositories: 1 });
    const { world, accounts } = fixture.simulator;
    const { renamed_from: from, renamed_to: to } = accounts;
    const before = (await fixture.lookUp(from)) ?? assert.fail();
    const after = (await fixture.lookUp(to)) ?? assert.fail();
    assert.deepEqual([after.state, after.account.name], ['present', to]);
    assert.equal(after.account.id, before.account.id);
    const old = (await fixture.find(from)) ?? assert.fail();
    assert.deepEqual([old.state, old.account.id], ['renamed', after.account.id]);

    takeLogin(world, from);
    advance(3700);
    const taken = (await fixture.lookUp(from)) ?? assert.fail();
    assert.equal(taken.state, 'present');
    assert.notEqual(taken.account.id, after.account.id);
    assert.equal((await fixture.find(to))?.account.id, after.account.id);
  });
});
