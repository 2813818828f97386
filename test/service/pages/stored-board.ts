import assert from 'node:assert/strict';
import type { Simulator } from '../../../simulators/github/simulator.ts';
import { rankBoard } from '../../../src/recognition/boards/ranking/rank-board.ts';
import type { TestService } from '../../e2e/service.ts';
import { ada, engines, jsonRequest, serviceToken } from '../../integration/access/owner.ts';

/** Stores boards of the organization in place of those that it had. */
export async function putBoards(
  service: TestService,
  simulator: Pick<Simulator, 'tokens'>,
  boards: readonly object[],
): Promise<void> {
  const token = await serviceToken(service, simulator, engines);
  const document = { version: 1, boards: boards.map((board) => ({ board })) };
  const response = await service.get(`${engines.name}/boards`, jsonRequest('PUT', token, document));
  assert.equal(response.status, 200, response.text);
}

/** Returns a board with a point for each commit from 2001 to a day, and further fields. */
export function boardOfCommits(slug: string, until: string, fields: object = {}): object {
  return {
    name: slug,
    slug,
    repositories: [`${engines.name}/engine-1`],
    window: { since: '2001-01-01', until },
    points: [{ action: 'commit', points: 1 }],
    ...fields,
  };
}

/** Stores a board `all` of the organization, with a team of Ada alone, and ranks it. */
export async function storeBoard(service: TestService, simulator: Pick<Simulator, 'tokens'>): Promise<void> {
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
  await putBoards(service, simulator, [board]);
  const { connection } = service.database;
  const [stored] = await connection.selectFrom('boards').select('id').where('is_current', '=', true).execute();
  await rankBoard({ connection, now: () => new Date() }, stored?.id ?? assert.fail());
}
