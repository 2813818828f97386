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

  it('counts the languages that a reader leaves out in no share and no sum', async () => {
    await using simulator = await startSimulator({ repositories: 3 });
    await using service = await startSteppedService({ simulator });
    const { organization } = simulator.accounts;
    await service.getComplete(`${organization}/contributors`);
    const path = `${organization}/contributions?format=svg&card=languages`;
    await service.get(path);
    const { text: list } = await service.get(`${organization}/contributions/languages`);
    const { data }: { data: { language: string; files: number }[] } = JSON.parse(list);
    const [most, second] = data;
    assert.ok(most !== undefined && second !== undefined, list);
    const sum = data.reduce((total, { files }) => total + files, 0);
    const { text } = await service.get(`${path}&limit=1&hide=${encodeURIComponent(most.language.toUpperCase())}`);
    assert.doesNotMatch(text, new RegExp(`>${most.language}<`));
    assert.match(text, new RegExp(`>${second.language}<`));
    assert.ok(text.includes(`${(sum - most.files).toLocaleString('en')} changed file`), text);
    const all = await service.get(`${path}&hide=${data.map(({ language }) => encodeURIComponent(language)).join(',')}`);
    assert.match(all.text, />The address of the card leaves out all languages\.</);
    const wrong = await service.get(`${path}&hide=typescipt`);
    assert.ok(wrong.headers.has('x-error-code'));
    assert.match(wrong.text, /did you mean TypeScript\?/i);
  });
});
