import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { agents, isAgentAddress, typeOfAccount } from '../../../src/model/agents.ts';

describe('agents', () => {
  it('are bots at their host alone, in any letter case', () => {
    assert.equal(typeOfAccount('github', 'Claude', 'user'), 'bot');
    assert.equal(typeOfAccount('codeberg', 'claude', 'user'), 'user');
    assert.equal(typeOfAccount('github', 'claudette', 'user'), 'user');
  });

  it('are bots at every host where only a program can have their name', () => {
    for (const host of ['github', 'enterprise', 'work']) {
      assert.equal(typeOfAccount(host, 'claude[bot]', 'user'), 'bot');
      assert.equal(typeOfAccount(host, 'GitLabDuo', 'user'), 'bot');
    }
  });

  it('are known by the addresses that they write into commits, and by those that GitHub gives to their accounts', () => {
    for (const email of [
      'noreply@anthropic.com',
      '198982749+copilot@users.noreply.github.com',
      'claude[bot]@users.noreply.github.com',
    ]) {
      assert.equal(isAgentAddress(email), true, email);
    }
    for (const email of [
      'claude@anthropic.com',
      '1+claudette@users.noreply.github.com',
      '49699333+dependabot[bot]@users.noreply.github.com',
      '29139614+renovate[bot]@users.noreply.github.com',
      '1+claude@example.org',
      'jane+claude@users.noreply.github.com',
      '1+claude@users.noreply.github.corp.example',
    ]) {
      assert.equal(isAgentAddress(email), false, email);
    }
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
