import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startStoredService } from '../http/stored-service.ts';
import { names, stored, storeHalfRead } from './half-read.ts';

const { organization, whole, unread, person } = names;

describe('the progress of an organization that is being collected', () => {
  const progress = { repositories: { complete: 1, total: 3 }, reason: 'collecting' };

  for (const path of [
    'contributions',
    'contributions?period=this-year',
    'contributors',
    'contributors?since=2020-01-01',
  ]) {
    it(`is in ${path}`, async () => {
      await using service = await startStoredService();
      await storeHalfRead(service.database);
      const { body } = await service.get(`${organization}/${path}`);
      assert.equal(body.meta_data.complete, false);
      assert.deepEqual(body.meta_data.progress, progress);
    });
  }

  it('counts the one repository of a list of its contributors', async () => {
    await using service = await startStoredService();
    await storeHalfRead(service.database);
    const { body } = await service.get(`${organization}/contributors?repository=${unread}`);
    assert.deepEqual(body.meta_data.progress, { ...progress, repositories: { complete: 0, total: 1 } });
  });

  it('is absent where the response is complete', async () => {
    await using service = await startStoredService();
    await storeHalfRead(service.database);
    const { body } = await service.get(`${organization}/contributors?repository=${whole}`);
    assert.deepEqual([body.meta_data.complete, body.meta_data.progress], [true, undefined]);
  });
});

describe('the numbers of an organization that is being collected', () => {
  const expected = {
    commits: stored.commits.whole + stored.commits.begun,
    issues: stored.issues.whole + stored.issues.begun,
    contributed_to: 2,
  };
  type Counter = keyof typeof expected;

  for (const counter of ['commits', 'issues', 'contributed_to'] as const satisfies Counter[]) {
    it(`are the sum of the stored ${counter} at each address`, async () => {
      await using service = await startStoredService();
      await storeHalfRead(service.database);
      const numberIn = async (path: string): Promise<unknown> => {
        const { body } = await service.get(`${organization}/${path}`);
        assert.ok(body.meta_data.missing?.includes(counter), path);
        return body.meta_data.total ?? Object(body.data[0]?.['contributions'])[counter];
      };
      const paths = ['contributions', 'contributions?since=2000-01-01'];
      const lists = [`contributions/${counter}`, `contributions/${counter}?since=2000-01-01`];
      for (const path of [...paths, ...lists]) assert.equal(await numberIn(path), expected[counter], path);
    });
  }

  it('are complete for a person as far as they are counted, in lists and in evidence', async () => {
    await using service = await startStoredService();
    await storeHalfRead(service.database);
    const { body } = await service.get(`${organization}/contributors`);
    const evidence = await service.get(`${organization}/contributors/${person}/evidence`);
    const counted = stored.commits.whole + expected.issues;
    assert.deepEqual([body.data[0]?.['contributions'], evidence.body.meta_data.total], [counted, counted]);
  });

  it('give the account an experience that is missing and cached for seconds', async () => {
    await using service = await startStoredService();
    await storeHalfRead(service.database);
    const { body, headers } = await service.get(organization);
    const { complete, missing, progress } = body.meta_data;
    assert.deepEqual([complete, missing], [false, ['experience', 'level']]);
    assert.equal(progress?.reason, 'collecting');
    assert.equal(headers.get('cache-control'), 'public, max-age=5');
    const [counters] = (await service.get(`${organization}/contributions`)).body.data;
    assert.deepEqual(
      [body.data[0]?.['experience'], body.data[0]?.['level']],
      [counters?.['experience'], counters?.['level']],
    );
  });

  it('give the card and the page no level', async () => {
    await using service = await startStoredService();
    await storeHalfRead(service.database);
    const card = await service.get(`${organization}/contributions?format=svg`);
    const page = await service.get(`/github/${organization}`, { headers: { accept: 'text/html' } });
    for (const { text } of [card, page]) {
      assert.match(text, /Level –/);
      assert.match(text, /Collecting/);
      assert.doesNotMatch(text, /Level \d|level \d/);
    }
  });
});
