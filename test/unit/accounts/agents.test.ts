import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { agents, typeOfAccount } from '../../../src/accounts/agents.ts';

describe('agents', () => {
  it('are bots at their host alone, in any letter case', () => {
    assert.equal(typeOfAccount('github', 'Claude', 'user'), 'bot');
    assert.equal(typeOfAccount('codeberg', 'claude', 'user'), 'user');
    assert.equal(typeOfAccount('github', 'claudette', 'user'), 'user');
  });

  it('are listed once, in lower case, with the day of their entry', () => {
    const keys = agents.map(({ provider, name }) => `${provider}/${name}`);
    assert.equal(new Set(keys).size, keys.length);
    for (const { name, since } of agents) {
      assert.equal(name, name.toLowerCase());
      assert.match(since, /^\d{4}-\d\d-\d\d$/);
    }
  });
});
