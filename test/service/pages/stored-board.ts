import assert from 'node:assert/strict';
import type { Simulator } from '../../../simulators/github/simulator.ts';
import { generateSigningKey } from '../../../src/access/tokens/signing-key.ts';
import { rankBoard } from '../../../src/boards/ranking/rank-board.ts';
import { freezeSeasons } from '../../../src/boards/seasons/freeze.ts';
import type { TestService } from '../../e2e/service.ts';
import { ada, engines, jsonRequest, serviceToken } from '../../integration/access/owner.ts';

/** Stores a board `all` of the organization, with a team of Ada alone, and ranks it. */
export async function storeBoard(service: TestService, simulator: Pick<Simulator, 'tokens'>): Promise<void> {
  const token = await serviceToken(service, simulator, engines);
  const board = {
    name: 'All of it',
    slug: 'all',
    repositories: [`${engines.name}/engine-1`],
    window: { since: '2001-01-01', until: '2041-12-31', time_zone: 'Asia/Tokyo' },
    points: [
      { action: 'commit', points: 1 },
      { action: 'pull_request', points: 3 },
    ],
    teams: { red: [ada.name] },
  };
  const document = { version: 1, boards: [{ board }] };
  const response = await service.get(`${engines.name}/boards`, jsonRequest('PUT', token, document));
  assert.equal(response.status, 200, response.text);
  const { connection } = service.database;
  const [stored] = await connection.selectFrom('boards').select('id').where('is_current', '=', true).execute();
  await rankBoard({ connection, now: () => new Date() }, stored?.id ?? assert.fail());
}

/** Freezes the windows of boards that have ended at a time. */
export async function freezeBoards(service: TestService, now: Date): Promise<void> {
  await freezeSeasons({
    connection: service.database.connection,
    now: () => now,
    publicUrl: () => service.url,
    credentialAlgorithm: 'EdDSA',
    newSigningKey: generateSigningKey,
  });
}
