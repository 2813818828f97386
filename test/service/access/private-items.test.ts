import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { rankBoard } from '../../../src/recognition/boards/ranking/rank-board.ts';
import { sampled } from '../../depth.ts';
import { ada, bearer, engines, jsonRequest, keeper, serviceToken } from '../../integration/access/owner.ts';
import { storeLanguages } from '../../integration/contributions/store-languages.ts';
import { freezeBoards } from '../boards/ended-boards.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { type Description, operationsWith, type RequestedOperation } from '../windows/numbers.ts';

/** The title of all private items, the subject of all private commits, and the mark of private repositories. */
const secret = 'never-to-be-read';

/** Values of the parts of paths, of which all combinations are requested. */
const parts: Readonly<Record<string, readonly string[]>> = {
  provider: ['github'],
  name: [engines.name, keeper.name],
  repository: ['engine-1'],
  login: [ada.name],
  language: ['TypeScript', 'Go'],
  counter: ['commits', 'reviews', 'contributed_to'],
  slug: ['open', 'private'],
  number: ['1'],
};

/** Parameters that change what a response lists or counts. */
const variants: readonly Readonly<Record<string, string>>[] = [
  {},
  { private: 'true' },
  { private: 'true', excluded: 'true' },
  { private: 'true', compare: 'yesterday' },
  { private: 'true', since: '2000-01-01', format: 'csv' },
  { excluded: 'true', type: 'user' },
  { compare: 'yesterday', since: '2000-01-01' },
  { format: 'voters' },
  { format: 'json' },
  { season: '1' },
  { format: 'svg' },
];

function combine(path: string): string[] {
  const name = /\{(\w+)\}/.exec(path)?.[1];
  if (name === undefined) return [path];
  return (parts[name] ?? []).flatMap((value) => combine(path.replace(`{${name}}`, value)));
}

const board = (slug: string, isPrivate: boolean): object => ({
  board: {
    name: slug,
    slug,
    private: isPrivate,
    repositories: isPrivate ? [`${engines.name}/*`, `${engines.name}/${secret}-0`] : [`${engines.name}/*`],
    window: { since: '2001-01-01', until: '2041-12-31' },
    points: ['commit', 'issue', 'pull_request', 'review'].map((action) => ({ action, points: 1 })),
    threshold: 1,
  },
});

describe('private items', () => {
  const shared = shareStoredService({ service: { settings: { RATE_LIMIT_PER_MINUTE: '100000' } } });
  const tokens = { owner: '', other: '' };
  let addresses: string[] = [];
  let pages: string[] = [];

  before(async () => {
    const { service, simulator } = shared;
    const { connection, pool } = service.database;
    await pool.query(
      `update contributions c set title = $1, number = 987654 from repositories r
      where r.id = c.repository_id and r.is_private`,
      [secret],
    );
    await pool.query(
      `update commits c set subject = $1 from repositories r where r.id = c.repository_id and r.is_private`,
      [secret],
    );
    await pool.query(
      `update repositories r set name = $1 || '-' || n.number from (
         select id, row_number() over (order by owner_id, name) - 1 as number from repositories where is_private) n
       where n.id = r.id`,
      [secret],
    );
    await storeLanguages(connection);
    await pool.query(`update changes_kept set since = now() - interval '80 days'`);
    tokens.owner = await serviceToken(service, simulator, engines);
    tokens.other = await serviceToken(service, simulator, ada);
    const document = { version: 1, boards: [board('open', false), board('private', true)] };
    const stored = await service.get(`${engines.name}/boards`, jsonRequest('PUT', tokens.owner, document));
    assert.equal(stored.status, 200, stored.text);
    for (const { id } of await connection.selectFrom('boards').select('id').execute())
      await rankBoard({ connection, now: () => new Date() }, id);
    await freezeBoards(service, new Date('2042-02-01'));
    const api = JSON.parse((await service.get('/openapi.json')).text) as Description;
    addresses = operationsWith(api, 'name')
      .filter(({ operationId }) => operationId !== 'issueToken')
      .flatMap(listAddresses);
    const below = [
      '',
      ...['commits', 'issues', 'contributed_to'].map((counter) => `/contributions/${counter}`),
      `/contributors/${ada.name}`,
      '/boards/open',
      `/boards/open/people/${ada.name}`,
      '/boards/private',
      '/boards/private?season=1',
      `/boards/private/people/${ada.name}`,
    ];
    pages = [keeper, engines].flatMap(({ name }) => below.map((path) => `/github/${name}${path}`));
  });

  /**
   * Returns the addresses of an operation, with the variants of parameters that it has: all of them for the first values of
   * its path, a sample for the others.
   */
  function listAddresses({ path, parameters }: RequestedOperation): string[] {
    const queries = variants
      .filter((variant) => Object.keys(variant).every((name) => parameters.includes(name)))
      .map((variant) => new URLSearchParams(variant).toString());
    return combine(path).flatMap((one, index) =>
      sampled(queries, index === 0 ? 1 : 3).map((query) => (query === '' ? one : `${one}?${query}`)),
    );
  }

  /** Reads an address. The claims of a signed statement are read too. */
  const read = async (address: string, init?: RequestInit): Promise<string> => {
    const { text, status, headers } = await shared.service.get(address, init);
    assert.ok([200, 202, 301, 400, 401, 403, 404].includes(status), `${address}: ${text}`);
    const isSigned = headers.get('content-type')?.startsWith('application/jwt') === true;
    return isSigned ? Buffer.from(text.split('.')[1] ?? '', 'base64url').toString() : text;
  };

  const assertNoSecrets = async (addresses: readonly string[], init?: RequestInit): Promise<void> => {
    for (const address of addresses) {
      const text = await read(address, init);
      assert.ok(!text.includes(secret) && !text.includes('987654'), `${address}: ${text}`);
    }
  };

  it('have titles, names and numbers that no visitor reads at any address', async () => {
    assert.ok(addresses.length > 50, `${addresses.length}`);
    await assertNoSecrets([...addresses, ...pages]);
  });

  it('stay unread by visitors when their owners publish private numbers', async () => {
    const { pool } = shared.service.database;
    await pool.query('update accounts set publishes_private = true');
    try {
      await assertNoSecrets(sampled([...addresses, ...pages], 3));
    } finally {
      await pool.query('update accounts set publishes_private = false');
    }
  });

  it('stay unread with the token of another account', async () => {
    await assertNoSecrets(sampled(addresses, 3), bearer(tokens.other));
  });

  it('are read by their owner, so that the tests above would find them', async () => {
    const own = bearer(tokens.owner);
    const unseen = new Set([
      'repositories',
      'contributions/commits',
      'contributions/reviews',
      `contributors/${ada.name}/evidence`,
      `boards/private/people/${ada.name}`,
      'boards/private/seasons/1/statement',
    ]);
    for (const address of addresses.filter((one) => one.includes(`/${engines.name}/`))) {
      const path = address.replace(/.*\/entities\/[^/]+\//, '').replace(/\?.*/, '');
      if (unseen.has(path) && (await read(address, own)).includes(secret)) unseen.delete(path);
    }
    assert.deepEqual([...unseen], []);
  });
});
