import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { startSteppedService } from './stepped-service.ts';

describe('first request for a card of languages', () => {
  it('has the languages of the account read, and shows them when they are counted', async () => {
    await using simulator = await startSimulator({ repositories: 3 });
    await using service = await startSteppedService({ simulator });
    const { organization } = simulator.accounts;
    await service.getComplete(`${organization}/contributors`);
    const path = `${organization}/contributions?format=svg&card=languages`;
    const first = await service.get(path);
    assert.equal(first.status, 200);
    assert.doesNotMatch(first.text, / changed file/);
    const { text } = await service.get(path);
    assert.match(text, /TypeScript .*in repositories collected here/);
    assert.match(text, / changed file/);
    assert.doesNotMatch(text, /still counting/);
    const past = await service.get(`${path}&since=2001-01-01&until=2001-01-31`);
    assert.match(past.text, />No languages yet</);
  });
});
