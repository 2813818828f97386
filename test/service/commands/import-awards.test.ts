import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { importSavedAwards } from '../../../src/app/commands/import-awards.ts';
import { ada } from '../../integration/access/owner.ts';
import { runCommand } from '../../run-command.ts';
import { award, awardedAt } from '../achievements/award.ts';
import { shareStoredService } from '../http/stored-service.ts';

const saved = {
  id: '9FC50DF5-1830-4e10-afcf-db4006ae5210',
  repository_name: 'engine-1',
  name: 'First Steps',
  icon_url: 'https://example.com/steps.png',
  description: 'The first pull request.',
  awarded_dttm: '2024-05-06T07:08:09Z',
};

describe('import of awards from another service', () => {
  const shared = shareStoredService();

  async function run(data: unknown, ...options: string[]): Promise<string> {
    await using directory = await makeTemporaryDirectory();
    const file = join(directory.path, 'awards.json');
    await writeFile(file, typeof data === 'string' ? data : JSON.stringify({ meta_data: { count: 1 }, data }));
    const environment = { DATABASE_URL: shared.service.databaseUrl, DATA_DIR: directory.path };
    const args = ['--account', `github/${ada.name}`, ...options, file];
    return await runCommand(importSavedAwards, args, environment)
      .then((lines) => lines.join('\n'))
      .catch(({ message }: Error) => message);
  }

  it('keeps ids, dates and names, marks the awards, and can be repeated', async () => {
    const { service } = shared;
    await award(service, 'Gold', { repository: 'engine-1' });

    assert.equal(await run([saved]), '1 awards imported, 0 existed');
    assert.equal(await run([saved]), '0 awards imported, 1 existed');

    const { body } = await service.get(`${ada.name}/achievements`);
    assert.equal(body.data.length, 2);
    const id = saved.id.toLowerCase();
    const imported = body.data.find((award) => award['id'] === id);
    assert.deepEqual(imported, { ...saved, id, imported: true });
    assert.match((await service.get(`${ada.name}/achievements/${id}?format=svg&style=raw`)).text, /^<svg /);
    const credential = await service.get(`${ada.name}/achievements/${id}/credential`);
    assert.equal(credential.status, 404);
    assert.match(credential.body.error?.message ?? '', /imported from another service/);
  });

  it('does not double an award of this service, which is then found by both ids', async () => {
    const { service } = shared;
    const id = await award(service, 'Silver', { repository: 'engine-1' });
    const silverAward = { ...saved, id: 'aaaaaaaa-1830-4e10-afcf-db4006ae5210', name: 'Silver' };

    assert.equal(await run([silverAward]), '0 awards imported, 1 existed');
    const { body } = await service.get(`${ada.name}/achievements/${silverAward.id}`);
    assert.deepEqual(
      body.data.map((award) => [award['id'], award['awarded_dttm'], award['imported']]),
      [[id, awardedAt.toISOString().replace(/\.\d+Z$/, 'Z'), undefined]],
    );
  });

  it('imports nothing where a part of the file cannot be trusted, and says why', async () => {
    const { service } = shared;
    await service.database.pool.query(
      `insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
         listed_at, created_at, updated_at)
       select gen_random_uuid(), 'github', 'twin-' || name, 'twin', id, 'twin', false, false, now(), now(), now(), now()
       from accounts where name in ($1, 'analytical-engines')`,
      [ada.name],
    );
    const fresh = { ...saved, id: 'bbbbbbbb-1830-4e10-afcf-db4006ae5210', name: 'Fresh' };
    const twin = { ...fresh, id: 'cccccccc-1830-4e10-afcf-db4006ae5210', repository_name: 'twin' };
    const before = (await service.get(`${ada.name}/achievements?limit=100`)).body.data.length;

    for (const [data, message] of [
      [[fresh, twin], /^twin may be ada-lovelace\/twin, analytical-engines\/twin; choose one with --repository/],
      [[fresh, { ...fresh, id: 'x' }], /data\[1\]\.id/],
      [[{ ...fresh, awarded_dttm: '2024-02-30T00:00:00Z' }], /an impossible date or time at data\[0\]\.awarded_dttm/],
      [[fresh, { ...fresh, repository_name: 'unknown' }], /the id .* twice/],
      [[{ ...fresh, repository_name: 'unknown' }], /no repository called unknown is stored; plaudit sync/],
      [[{ ...saved, name: 'Other' }], /the id 9fc50df5-.* belongs to another award/],
      ['{"data": 7}', /has no list "data"/],
      ['<html>', /is not JSON/],
    ] as const) {
      assert.match(await run(data), message);
    }
    assert.equal((await service.get(`${ada.name}/achievements?limit=100`)).body.data.length, before);

    assert.equal(await run([fresh, twin], '--repository', `${ada.name}/twin`), '2 awards imported, 0 existed');
  });
});
