import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { createGitHubProvider } from '../../../src/hosts/github/provider.ts';
import { readTeams } from '../../../src/recognition/boards/people/read-teams.ts';
import { rankBoard } from '../../../src/recognition/boards/ranking/rank-board.ts';
import { ada, bearer, engines, jsonRequest, serviceToken } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';

interface Row {
  person: { name: string };
  teams: string[];
}

const dayMs = 86_400_000;

describe('ranking of the members of teams', () => {
  const shared = shareStoredService();

  /** Stores two boards: one of all people, with a team of the host in the team red, and one of the members of that team. */
  const put = async (owner: typeof engines | typeof ada = engines): Promise<string> => {
    const { service, simulator } = shared;
    const token = await serviceToken(service, simulator, owner);
    const board = (slug: string, fields: object): object => ({
      board: {
        name: slug,
        slug,
        repositories: ['analytical-engines/*'],
        points: [{ action: 'commit', points: 1 }],
        ...fields,
      },
    });
    const boards = [
      board('all', { teams: { red: ['@analytical-engines/core'], blue: ['ada-lovelace'] } }),
      board('members', { people: { only_members_of: 'analytical-engines/core' } }),
    ];
    const response = await service.get(`${owner.name}/boards`, jsonRequest('PUT', token, { version: 1, boards }));
    assert.equal(response.status, 200, response.text);
    return token;
  };

  /** Reads teams as at a time, as a caller with these tokens, and ranks all boards. */
  const read = async (names: ('organization_member' | 'user')[], at = new Date()): Promise<void> => {
    const { service, simulator } = shared;
    const { connection } = service.database;
    const { url, apiUrl, tokens } = simulator;
    const provider = createGitHubProvider({
      name: 'github',
      url,
      apiUrl,
      tokens: names.map((name) => tokens[name]),
      webhookSecret: undefined,
      app: undefined,
      connectTimeoutMs: 2000,
      now: () => at,
    });
    const context = { connection, providers: new Map([['github', provider]]), now: () => at };
    await readTeams(context, AbortSignal.timeout(30_000));
    await provider.close();
    const rows = await connection.selectFrom('boards').select('id').where('is_current', '=', true).execute();
    for (const { id } of rows) await rankBoard({ connection, now: () => new Date() }, id);
  };

  const findRows = async (path: string, init?: RequestInit): Promise<Row[]> => {
    const { body, status, text } = await shared.service.get(`${engines.name}/boards/${path}`, init);
    assert.equal(status, 200, text);
    return body.data as unknown as Row[];
  };

  const assertUnread = async (owner: string, token: string): Promise<void> => {
    const { body } = await shared.service.get(`${owner}/boards/members`, bearer(token));
    assert.deepEqual(body.data, []);
    const { missing = [] } = body.meta_data as unknown as { missing?: string[] };
    assert.ok(missing.includes('@github/analytical-engines/core: not_readable'), missing.join());
  };

  it('ranks members alone where a board says so, shows teams to the owner alone, and forgets members with the boards', async () => {
    const { world } = shared.simulator;
    const token = await put();
    const { connection } = shared.service.database;
    await read(['user']);
    const names = (await findRows('all?limit=100')).map(({ person }) => person.name);
    const { rows: people } = await sql<{ name: string; external_id: string }>`
      select name, external_id from accounts where name = any(${names}::text[]) order by name limit 2`.execute(
      connection,
    );
    const [first, second] = people;
    assert.ok(first && second);
    world.teams.push({
      id: world.newId(),
      organizationId: world.accountByLogin(engines.name)?.id ?? 0,
      slug: 'core',
      memberIds: [Number(first.external_id)],
    });
    await read(['organization_member'], new Date(Date.now() + 3_700_000));
    const members = await findRows('members', bearer(token));
    assert.deepEqual(
      members.map(({ person }) => person.name),
      [first.name],
    );
    const hidden = await shared.service.get(`${engines.name}/boards/members`);
    assert.equal(hidden.status, 404);
    const list = await shared.service.get(`${engines.name}/boards`);
    assert.deepEqual(
      list.body.data.map(({ slug }) => slug),
      ['all'],
    );
    const evidence = await shared.service.get(`${engines.name}/boards/members/people/${first.name}`);
    assert.equal(evidence.status, 404);
    const red = async (init?: RequestInit): Promise<string[]> =>
      (await findRows('all?team=red&limit=100', init)).map(({ person }) => person.name);
    assert.deepEqual([await red(), await red(bearer(token))], [[], [first.name]]);
    const row = (await findRows('all?limit=100')).find(({ person }) => person.name === first.name);
    assert.deepEqual(row?.teams, first.name === 'ada-lovelace' ? ['blue'] : []);

    // Another person is in the team now, and the host does not show it to the configured token any more.
    world.teams[0]?.memberIds.splice(0, 1, Number(second.external_id));
    await read(['organization_member'], new Date(Date.now() + 7_400_000));
    assert.deepEqual(await red(bearer(token)), [second.name]);
    await read(['user'], new Date(Date.now() + 5 * dayMs));
    assert.deepEqual(await red(bearer(token)), [second.name]);
    await read(['user'], new Date(Date.now() + 10 * dayMs));
    await assertUnread(engines.name, token);

    // The configured token shows the team to its organization, not to another account that names it.
    const otherOwner = await put(ada);
    await read(['organization_member'], new Date(Date.now() + 10.5 * dayMs));
    assert.deepEqual(await red(bearer(token)), [second.name]);
    await assertUnread(ada.name, otherOwner);

    await shared.service.get(`${ada.name}/boards`, jsonRequest('DELETE', otherOwner));
    const removed = await shared.service.get(`${engines.name}/boards`, jsonRequest('DELETE', token));
    assert.equal(removed.status, 204);
    await read(['organization_member'], new Date(Date.now() + 11 * dayMs));
    assert.deepEqual(await connection.selectFrom('host_teams').selectAll().execute(), []);
  });
});
