import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { SaxesParser } from 'saxes';
import { rankBoard } from '../../../src/recognition/boards/ranking/rank-board.ts';
import { engines, jsonRequest, serviceToken } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';

interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  children: XmlElement[];
  text: string;
}

/** Reads XML, and throws where it is not well-formed. */
function readXml(text: string): XmlElement {
  const root: XmlElement = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes, children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (content) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += content;
  });
  parser.on('closetag', () => void open.pop());
  parser.write(text).close();
  return root.children[0] ?? assert.fail('no element');
}

function toChildren({ children }: XmlElement, name: string): XmlElement[] {
  return children.filter((child) => child.name === name);
}

describe('the feed of a board', () => {
  const shared = shareStoredService();

  it('announces a leader and a newcomer once, also after a change of names or of the first contribution', async () => {
    const { service, simulator } = shared;
    const { connection } = service.database;
    const fields = { name: 'All', slug: 'all', repositories: [`${engines.name}/engine-1*`] };
    const board = { ...fields, window: { since: '1970-01-01' }, points: [{ action: 'commit', points: 1 }] };
    const token = await serviceToken(service, simulator, engines);
    await service.get(`${engines.name}/boards`, jsonRequest('PUT', token, { version: 1, boards: [{ board }] }));
    for (const { id } of await connection.selectFrom('boards').select('id').execute())
      await rankBoard({ connection, now: () => new Date() }, id);
    const idsFor = async (reader: string): Promise<string[]> => {
      const path = `${engines.name}/boards/all/feed?format=json&reader=${reader}`;
      return (await service.get(path)).body.data.map(({ id }) => String(id)).toSorted();
    };

    await sql`update board_ranks set is_newcomer = true`.execute(connection);
    const ids = await idsFor('one');
    assert.ok(ids.length > 1);
    assert.equal(new Set(ids).size, ids.length);
    await sql`update accounts set name = name || '-2'
      where id in (select account_id from board_ranks)`.execute(connection);
    assert.deepEqual(await idsFor('two'), ids, 'people have other names');
    await sql`update repositories set name = name || '-2'`.execute(connection);
    assert.deepEqual(await idsFor('three'), ids, 'the repository has another name');
    await sql`update board_ranks set points = 1`.execute(connection);
    const { body } = await service.get(`${engines.name}/boards/all/feed?format=json&reader=points`);
    const texts = body.data.map(({ text }) => String(text)).filter((text) => !text.includes('came to lead'));
    assert.ok(texts.length > 0 && texts.every((text) => text.endsWith(' has 1 point.')), texts.join('\n'));
    await sql`update board_ranks set first_at = first_at - interval '1 hour'`.execute(connection);
    assert.deepEqual(await idsFor('four'), ids, 'an older contribution is found later');
  });

  it('is valid Atom, whose entries lead to pages and have permanent names', async () => {
    const { service } = shared;
    const { text } = await service.get(`${engines.name}/boards/all/feed`);
    const page = `${service.url}/github/${engines.name}/boards/all`;
    const feed = readXml(text);
    const toLink = (of: XmlElement, relation: string): string | undefined =>
      toChildren(of, 'link').find(({ attributes }) => attributes['rel'] === relation)?.attributes['href'];
    assert.deepEqual([feed.name, feed.attributes['xmlns']], ['feed', 'http://www.w3.org/2005/Atom']);
    assert.equal(toLink(feed, 'self'), `${service.url}/v1/github/entities/${engines.name}/boards/all/feed`);
    assert.equal(toLink(feed, 'alternate'), page);
    const entries = toChildren(feed, 'entry');
    assert.ok(entries.length > 1);
    const ids = new Set<string | undefined>();
    for (const element of [feed, ...entries]) {
      const [id, title, updated] = ['id', 'title', 'updated'].map((name) => {
        const found = toChildren(element, name);
        assert.equal(found.length, 1, name);
        return found[0]?.text;
      });
      assert.match(id ?? '', /^urn:uuid:[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
      assert.match(updated ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      assert.ok(title);
      ids.add(id);
    }
    assert.equal(ids.size, entries.length + 1);
    for (const address of new Set(entries.map((entry) => toLink(entry, 'alternate') ?? ''))) {
      assert.ok(address.startsWith(page), address);
      const response = await service.get(address.slice(service.url.length), { headers: { accept: 'text/html' } });
      assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
    }
  });

  it('is sent again only to readers whose copy is older', async () => {
    const { service } = shared;
    const address = `${engines.name}/boards/all/feed`;
    const modified = (await service.get(address)).headers.get('last-modified') ?? assert.fail();
    for (const path of [address, `${address}?format=json`])
      for (const [since, status] of [
        [modified, 304],
        [new Date(Date.parse(modified) + 60_000).toUTCString(), 304],
        [new Date(Date.parse(modified) - 1000).toUTCString(), 200],
        ['nonsense', 200],
      ] as const) {
        const response = await service.get(path, { headers: { 'if-modified-since': since } });
        assert.equal(response.status, status, since);
      }
    const changed = { headers: { 'if-none-match': '"other"', 'if-modified-since': modified } };
    assert.equal((await service.get(address, changed)).status, 200);
  });

  it('announces no leader again after the board is restored from a backup, which has no rankings', async () => {
    const { connection } = shared.service.database;
    const leaders = () => connection.selectFrom('board_leaders').select(['board_id', 'account_id', 'since']).execute();
    const before = await leaders();
    assert.ok(before.length > 0);
    await connection.deleteFrom('board_ranks').execute();
    await connection.deleteFrom('board_rankings').execute();

    for (const { id } of await connection.selectFrom('boards').select('id').execute())
      await rankBoard({ connection, now: () => new Date() }, id);

    assert.deepEqual(await leaders(), before);
  });
});
