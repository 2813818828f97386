import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../../src/model/errors.ts';
import { DocumentReader } from '../../../src/recognition/boards/document/document-reader.ts';
import { BoardFiles } from '../../../src/recognition/boards/file/board-files.ts';
import { engines, jsonRequest, serviceToken } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';

const valid = JSON.stringify({
  version: 1,
  boards: [{ board: { name: 'A', slug: 'a', repositories: ['acme/*'], points: [{ action: 'commit', points: 1 }] } }],
});
/** Each part is left out and the rest is read again, which takes many times as long as any request of a reader. */
const slow = `version: 1\nboards:\n${'  - board: { name: A, slug: ] }\n'.repeat(400)}`;

describe('documents of boards', () => {
  const shared = shareStoredService();

  it('let other requests get responses while they are checked', async () => {
    const { service, simulator } = shared;
    const token = await serviceToken(service, simulator, engines);
    const ended: string[] = [];
    const preview = service
      .get(`${engines.name}/boards/preview`, { ...jsonRequest('POST', token), body: slow })
      .then(({ status }) => ended.push(`preview ${status}`));
    const others = Array.from({ length: 5 }, async () => {
      const { status } = await service.get('/healthz');
      ended.push(`healthz ${status}`);
    });
    await Promise.all([preview, ...others]);
    assert.deepEqual(ended, [...others.map(() => 'healthz 200'), 'preview 200']);
  });

  it('are refused while another one of the same owner is checked', async () => {
    const { service, simulator } = shared;
    const token = await serviceToken(service, simulator, engines);
    const requests = (['POST', 'PUT', 'POST'] as const).map(async (method) => {
      const path = method === 'PUT' ? 'boards' : 'boards/preview';
      return service.get(`${engines.name}/${path}`, { ...jsonRequest(method, token), body: slow });
    });
    const responses = await Promise.all(requests);
    const refused = responses.filter(({ status }) => status === 429);
    assert.equal(refused.length, 2);
    for (const { headers } of refused) assert.equal(headers.get('retry-after'), '5');
    const next = { ...jsonRequest('POST', token), body: valid };
    assert.equal((await service.get(`${engines.name}/boards/preview`, next)).status, 200);
  });

  it('are refused with the place of a control character, which the database does not store', async () => {
    const { service, simulator } = shared;
    const token = await serviceToken(service, simulator, engines);
    for (const escape of ['\\u0000', '\\u0007', '\\ud800']) {
      const body = valid.replace('"name":"A"', `"name":"A${escape}"`);
      const { status, text } = await service.get(`${engines.name}/boards`, { ...jsonRequest('PUT', token), body });
      assert.equal(status, 400, text);
      assert.match(text, /line 1, column \d+: name contains the character U\+(0000|0007|D800)/);
    }
  });

  it('are ranked also where their rules are longer than a file once they are written out', async () => {
    const { service, simulator } = shared;
    const token = await serviceToken(service, simulator, engines);
    const logins = Array.from({ length: 500 }, (_, index) => `person-${index}`).join(', ');
    const teams = Array.from({ length: 49 }, (_, index) => `team-${index}: *all`).join(', ');
    const body = `version: 1
boards:
  - board:
      name: Many
      slug: many
      repositories: [acme/*]
      points: [{ action: commit, points: 1 }]
      teams: { all: &all [${logins}], ${teams} }
`;
    const { status, text } = await service.get(`${engines.name}/boards`, { ...jsonRequest('PUT', token), body });
    assert.equal(status, 200, text);
    assert.equal((await service.get(`${engines.name}/boards`)).status, 200);
    const removed = await service.get(`${engines.name}/boards`, jsonRequest('DELETE', token));
    assert.equal(removed.status, 204, removed.text);
  });

  it('are read one after the other, each owner one at a time', async () => {
    const reader = new DocumentReader({ boardFiles: new BoardFiles(new Map()), now: () => new Date() });
    const owner = (id: string) => ({ id, provider: 'github', name: `owner-${id}` });
    const slugs = ['1', '2', '3'].map((id) =>
      reader.withDocument(owner(id), valid, async ({ boards }) => boards.map(({ slug }) => slug)),
    );
    await assert.rejects(
      reader.withDocument(owner('1'), valid, async () => null),
      (error) => error instanceof AppError && error.code === 'rate_limited',
    );
    assert.deepEqual(await Promise.all(slugs), [['a'], ['a'], ['a']]);
    assert.equal(await reader.withDocument(owner('1'), valid, async ({ reports }) => reports.length), 0);
  });

  it('are refused when they take too long', async () => {
    const boardFiles = new BoardFiles(new Map(), { readingMs: 1 });
    const reader = new DocumentReader({ boardFiles, now: () => new Date() });
    const owner = { id: '1', provider: 'github', name: 'acme' };
    for (const attempt of ['first', 'next'])
      await assert.rejects(
        reader.withDocument(owner, slow, async () => null),
        (error) => error instanceof AppError && error.code === 'invalid_input' && /too long/.test(error.message),
        attempt,
      );
  });
});
