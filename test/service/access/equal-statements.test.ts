import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { rankBoard } from '../../../src/recognition/boards/ranking/rank-board.ts';
import { ada, engines, jsonRequest, serviceToken } from '../../integration/access/owner.ts';
import { storeAbsentRepositories } from '../../integration/http/stored-world.ts';
import { recordStatements, watchStatements } from '../../statements/record.ts';
import { clock } from '../../time.ts';
import { freezeBoards } from '../boards/ended-boards.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { fillIn, readAddresses, receive } from './read-addresses.ts';

const dayMs = 86_400_000;
/** Statements about other nodes and about the address of the caller, which each request may send. */
const ofNodes = /\b(?:announcements|rate_limits)\b/;

watchStatements();

describe('the statements of a request', () => {
  const { now } = clock();
  const settings = { TRUST_PROXY: 'loopback', ANONYMOUS_REPOSITORY_CONTRIBUTORS: 'all' };
  const shared = shareStoredService({ simulator: { now }, service: { now, settings } });

  before(async () => {
    const { service, simulator } = shared;
    const { connection } = service.database;
    const board = (slug: string, fields: object): object => ({
      board: {
        name: slug,
        slug,
        repositories: [`${engines.name}/*`],
        points: [{ action: 'commit', points: 1 }],
        window: { since: '2000-01-01', until: new Date(now().getTime() - 5 * dayMs).toISOString() },
        ...fields,
      },
    });
    const boards = [
      board('shut', { private: true }),
      board('team', { people: { only_members_of: `${engines.name}/core` } }),
    ];
    const token = await serviceToken(service, simulator, engines);
    const put = await service.get(`${engines.name}/boards`, jsonRequest('PUT', token, { version: 1, boards }));
    assert.equal(put.status, 200, put.text);
    for (const { id } of await connection.selectFrom('boards').select('id').execute())
      await rankBoard({ connection, now }, id);
    await freezeBoards(service, now());
    await storeAbsentRepositories(connection, engines.name, ['hidden-engine', 'absent-engine', 'other-engine'], now());
  });

  const names = { provider: 'github', name: engines.name, repository: 'engine-1', login: ada.name, number: '1' };

  const pairs = [
    { parameter: 'repository', present: 'hidden-engine', absent: ['other-engine', 'absent-engine'] },
    { parameter: 'slug', present: 'shut', absent: ['shuy', 'shux'] },
    { parameter: 'slug', present: 'team', absent: ['teay', 'teax'] },
  ] as const;

  for (const {
    parameter,
    present,
    absent: [first, second],
  } of pairs) {
    it(`are the same ones for ${present}, which is not public, and for ${second}, which does not exist`, async () => {
      const { service } = shared;
      // Pages are made of these responses; the first of them that is absent ends the others at any point.
      const addresses = (await readAddresses(service)).filter(
        (address) => address.startsWith('/v1/') && address.includes(`{${parameter}}`),
      );
      let compared = 0;
      for (const address of addresses) {
        if (/\{(?!provider|name|repository|login|number|slug)/.test(address)) continue;
        const request = async (value: string): Promise<string[]> => {
          const sent = await recordStatements(() =>
            receive(service, fillIn(address, { ...names, [parameter]: value })),
          );
          return sent.filter((text) => !ofNodes.test(text)).toSorted();
        };
        // The first request for an address prepares parts that both of the others then find.
        await request(first);
        const statements = await request(present);
        compared += statements.length;
        assert.deepEqual(statements, await request(second), address);
      }
      assert.ok(compared > 10, `${compared} statements`);
    });
  }
});
