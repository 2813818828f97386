import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { exportTo, importFrom } from '../../../src/app/commands/copy.ts';
import type { Io } from '../../../src/app/commands/io.ts';
import { sync } from '../../../src/app/commands/sync.ts';
import { snapshot } from '../../integration/sync/snapshot.ts';
import { inProcess } from '../../run-command.ts';
import { openTwoDatabases } from './two-databases.ts';

describe('plaudit export and import', () => {
  it('exports everything, so that an import into another database restores the same data', async () => {
    await using fixture = await openTwoDatabases();
    const { original, copy, environment, target } = fixture;
    const file = fixture.pathOf('everything.ndjson.gz');
    const printed: string[] = [];
    const io = (databaseUrl: string): Io => ({
      ...inProcess(environment(databaseUrl)),
      print: (line) => void printed.push(line),
    });
    await sync(io(original.url), target);
    assert.match(printed.join('\n'), /of \d+ repositories, last/);
    await runOn(
      original.url,
      `insert into boards (id, owner_id, slug, place, definition, is_current, is_private, owners, created_at)
        select gen_random_uuid(), id, 'autumn', 0, '{"name":"Autumn","people":{"only_members_of":"team"}}', true, false, '{}', now()
        from accounts where type = 'organization' limit 1`,
    );
    await exportTo(io(original.url), file);
    await assert.rejects(exportTo(io(original.url), file), /there is a file of this name already/);
    const other = fixture.pathOf('interrupted.ndjson.gz');
    const interrupted = { ...io(original.url), signal: AbortSignal.abort() };
    await assert.rejects(exportTo(interrupted, other), { name: 'AbortError' });
    assert.equal(existsSync(other), false);
    await importFrom(io(copy.url), file);
    assert.deepEqual(await snapshot(copy.url), await snapshot(original.url));
    const [board, ...others] = await runOn(copy.url, 'select slug, name, description, is_of_team from boards');
    assert.deepEqual(board, { slug: 'autumn', name: 'Autumn', description: '', is_of_team: true });
    assert.deepEqual(others, []);
    // The database must be new, and the file must be an export.
    await assert.rejects(importFrom(io(copy.url), file), /needs a new database/);
    await assert.rejects(importFrom(io(copy.url), fileURLToPath(import.meta.url)), /not an export/);
    await assert.rejects(importFrom(io(copy.url), '/nonexistent'), /no such file/);
    await assert.rejects(exportTo(io(original.url), undefined), /export needs the path of a file/);
    // Collecting goes on from the imported data: the next sync costs little and changes nothing.
    await sync(io(copy.url), target);
    assert.deepEqual((await snapshot(copy.url))['contributors'], (await snapshot(original.url))['contributors']);
  });
});

async function runOn(connectionString: string, statement: string): Promise<object[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<object>(statement)).rows;
  } finally {
    await client.end();
  }
}
