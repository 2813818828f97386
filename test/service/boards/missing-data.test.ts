import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { rankBoard } from '../../../src/recognition/boards/ranking/rank-board.ts';
import { completeSeasons } from '../../../src/recognition/boards/seasons/correct.ts';
import { freezeSeasons } from '../../../src/recognition/boards/seasons/freeze.ts';
import { bearer, engines, serviceToken } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { freezeBoards, freezingAt, storeEndedBoard } from './ended-boards.ts';

interface Metadata {
  complete: boolean;
  missing?: string[];
  as_of?: string;
  season?: { version: number; missing: string[]; as_of: string | null };
}

describe('missing data of a board', () => {
  const shared = shareStoredService();
  const path = `${engines.name}/boards`;
  const findMetadata = async (address: string, init?: RequestInit): Promise<Metadata> => {
    const { body, status, text } = await shared.service.get(`${path}/${address}`, init);
    assert.equal(status, 200, text);
    return body.meta_data as unknown as Metadata;
  };

  it('names repositories that were not known up to the end of a season, until they are', async () => {
    const { service } = shared;
    const { connection } = service.database;
    const outdated = 'github/analytical-engines/engine-1: outdated';
    await sql`
      with engine as (update repositories set installed_at = now() where name = 'engine-1' returning id)
      insert into streams (repository_id, name, covers, completed_at, known_until, is_deep)
      select id, 'issues', '{issue,pull_request}', now(), now() - interval '9 days', true from engine
      on conflict (repository_id, name) do update set completed_at = excluded.completed_at,
        known_until = excluded.known_until, is_deep = true`.execute(connection);
    const points = [{ action: 'issue', points: 1 }];
    await storeEndedBoard(service, 'outdated', 2, { repositories: ['analytical-engines/engine-1'], points });
    const services = freezingAt(service, new Date());
    await freezeSeasons(services);
    assert.equal((await service.get(`${path}/outdated/seasons/1`)).status, 404, 'it may still arrive');
    await freezeBoards(service, new Date(Date.now() + 2 * 86_400_000));
    const frozen = await findMetadata('outdated/seasons/1');
    assert.deepEqual([frozen.complete, frozen.missing, frozen.season?.missing], [false, [outdated], [outdated]]);
    await completeSeasons(services);
    assert.equal((await findMetadata('outdated/seasons/1?v=2')).season?.version, 1);
    await sql`update streams set known_until = now() where name = 'issues'`.execute(connection);
    await completeSeasons(services);
    const completed = await findMetadata('outdated/seasons/1?v=3');
    assert.deepEqual([completed.complete, completed.season?.version], [true, 2]);
    assert.ok(completed.as_of !== undefined && completed.as_of === completed.season?.as_of);
    const csv = await service.get(`${path}/outdated/seasons/1?format=csv`);
    assert.equal(csv.headers.get('x-as-of'), completed.as_of);
  });

  it('names the limit of repositories where more match', async () => {
    const { service } = shared;
    const { connection } = service.database;
    await storeEndedBoard(service, 'large', 5, { repositories: ['analytical-engines/copy-*'] });
    await sql`
      insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
        listed_at, created_at, updated_at)
      select gen_random_uuid(), 'github', 'copy-' || n, 'copy-' || n, id, 'copy-' || n, false, false, now(), now(), now(),
        now() from accounts, generate_series(1, 501) as n where name = ${engines.name}`.execute(connection);
    for (const { id } of await connection.selectFrom('boards').select('id').where('slug', '=', 'large').execute())
      await rankBoard({ connection, now: () => new Date() }, id);
    await freezeBoards(service);
    for (const address of ['large', 'large/seasons/1']) {
      const { missing = [] } = await findMetadata(address);
      assert.deepEqual(
        missing.filter((part) => !part.endsWith(': not_installed')),
        ['further repositories: over_limit'],
        address,
      );
    }
    await sql`delete from repositories where external_id like 'copy-%'`.execute(connection);
  });

  it('is not called complete where private repositories lack some, whose names visitors do not see', async () => {
    const { service, simulator } = shared;
    const { connection } = service.database;
    const own = bearer(await serviceToken(service, simulator, engines));
    const repositories = ['analytical-engines/hidden-engine', 'analytical-engines/not-known-yet'];
    await storeEndedBoard(service, 'published', 5, { private: true, repositories });
    await freezeBoards(service);
    for (const { id } of await connection.selectFrom('boards').select('id').where('slug', '=', 'published').execute())
      await rankBoard({ connection, now: () => new Date() }, id);
    await sql`update accounts set publishes_private = true where name = ${engines.name}`.execute(connection);
    for (const address of ['published', 'published/seasons/1']) {
      const open = await findMetadata(address);
      assert.deepEqual([open.complete, open.missing], [false, ['private: incomplete']], address);
      const { complete, missing = [] } = await findMetadata(address, own);
      assert.deepEqual(
        [complete, missing.toSorted()],
        [false, repositories.map((name) => `github/${name}: not_installed`)],
        address,
      );
    }
  });
});
