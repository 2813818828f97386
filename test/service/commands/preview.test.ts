import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { previewAchievements } from '../../../src/app/commands/preview-achievements.ts';
import type { Database } from '../../../src/database/connections/connection.ts';
import { openDatabase } from '../../../src/database/connections/open.ts';
import { createTestDatabase } from '../../database.ts';
import { fileWith } from '../../unit/achievements/reported.ts';

/** Stores a repository with one issue of each person. */
async function storeRepository(
  { pool }: Database,
  { provider, owner, name, people }: { provider: string; owner: string; name: string; people: readonly string[] },
): Promise<void> {
  const { rows } = await pool.query<{ id: string; name: string }>(
    `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
     select gen_random_uuid(), $1, name, '', 'user', name, now(), now(), now() from unnest($2::text[]) as u (name)
     returning id, name`,
    [provider, [owner, ...people]],
  );
  await pool.query(
    `with repository as (
       insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at,
         created_at, updated_at)
       values (gen_random_uuid(), $1, '1', '', $2, $3, false, false, now(), now(), now(), now()) returning id
     )
     insert into contributions (repository_id, kind, external_id, account_id, created_at, updated_at, seen_at)
     select repository.id, 'issue', author, author::uuid, now(), now(), now()
     from repository, unnest($4::text[]) as u (author)`,
    [
      provider,
      rows.find((row) => row.name === owner)?.id,
      name,
      rows.filter((row) => row.name !== owner).map(({ id }) => id),
    ],
  );
  await pool.query(
    `insert into streams (repository_id, name, covers, completed_at)
     select id, 'issues', '{issue}', now() from repositories where provider = $1`,
    [provider],
  );
}

const settings = {
  GITEA_URL: 'https://git.example',
  GITEA_TOKEN: 'a_token',
  GITLAB_URL: 'https://lab.example',
  GITLAB_TOKEN: 'a_token',
};
const opened = fileWith('{ actor: author, action: issue, condition: count() >= 1 }');
const starred = fileWith('{ actor: author, action: star, condition: starred = true }');

describe('plaudit achievements preview', () => {
  it('accepts a repository with its host or subgroup, and warns of conditions on data that the host does not report', async () => {
    await using created = await createTestDatabase();
    await using directory = await makeTemporaryDirectory();
    const database = await openDatabase({ databaseUrl: created.url, dataDir: '/nonexistent', log: () => {} });
    const people = ['ada', 'grace', 'max'];
    await storeRepository(database, { provider: 'gitea', owner: 'engines', name: 'handbook', people });
    await storeRepository(database, { provider: 'gitlab', owner: 'engines/looms', name: 'cards', people: ['max'] });
    await database.close();
    await writeFile(directory.pathOf('opened.yaml'), opened);
    await writeFile(directory.pathOf('starred.yaml'), starred);
    const preview = async (...args: string[]): Promise<{ lines: string[]; warnings: string[] }> => {
      const [lines, warnings]: [string[], string[]] = [[], []];
      const io = {
        environment: { ...settings, DATA_DIR: directory.path, DATABASE_URL: created.url },
        print: (line: string) => void lines.push(line),
        warn: (line: string) => void warnings.push(line),
        isTerminal: false,
        signal: AbortSignal.timeout(60_000),
      };
      await previewAchievements(io, args);
      return { lines, warnings };
    };

    for (const target of ['gitea/engines/handbook', 'gitea/engines/HANDBOOK']) {
      const { lines, warnings } = await preview(directory.pathOf('opened.yaml'), target);
      assert.match(lines[0] ?? '', /^Hero: 3 would earn it$/, target);
      assert.deepEqual(warnings, []);
    }
    for (const owner of ['engines/looms', 'engines%2Flooms']) {
      const { lines } = await preview(directory.pathOf('opened.yaml'), `gitlab/${owner}/cards`);
      assert.match(lines.join('\n'), /^Hero: 1 would earn it\n {2}max /, owner);
    }
    const { lines, warnings } = await preview(directory.pathOf('starred.yaml'), 'gitea/engines/handbook');
    assert.deepEqual(lines, ['Hero: not available: Gitea and Forgejo do not report the times of stars']);
    assert.match(warnings.join('\n'), /warning: Gitea and Forgejo do not report the times of stars/);
    for (const [args, expected] of [
      [['handbook'], /needs FILE PROVIDER\/OWNER\/REPOSITORY/],
      [[], /needs FILE/],
      [['gitea/a/b', 'gitea/a/c'], /needs FILE/],
      [['gitea/a/b'], /nothing is stored of gitea\/a\/b; preview --read fetches the data that is needed/],
    ] as [string[], RegExp][]) {
      await assert.rejects(preview(directory.pathOf('opened.yaml'), ...args), expected, args.join(' '));
    }
  });

  it('needs no setting but the database', async () => {
    await using created = await createTestDatabase();
    await using directory = await makeTemporaryDirectory();
    const database = await openDatabase({ databaseUrl: created.url, dataDir: '/nonexistent', log: () => {} });
    await storeRepository(database, { provider: 'codeberg', owner: 'engines', name: 'handbook', people: ['ada'] });
    await storeRepository(database, { provider: 'gitea', owner: 'engines', name: 'handbook', people: ['ada', 'max'] });
    await database.close();
    await writeFile(directory.pathOf('opened.yaml'), opened);
    await writeFile(directory.pathOf('starred.yaml'), starred);
    const preview = async (file: string, target: string, environment: Record<string, string> = {}) => {
      const [lines, warnings]: [string[], string[]] = [[], []];
      const io = {
        environment: { DATABASE_URL: created.url, ...environment },
        print: (line: string) => void lines.push(line),
        warn: (line: string) => void warnings.push(line),
        isTerminal: false,
        signal: AbortSignal.timeout(60_000),
      };
      await previewAchievements(io, [directory.pathOf(file), target]);
      return { lines, warnings };
    };

    const gitea = await preview('starred.yaml', 'gitea/engines/handbook');
    assert.match(gitea.warnings.join('\n'), /warning: Gitea and Forgejo do not report the times of stars/);
    const incomplete = { GITHUB_APP_ID: '7', PROVIDERS_FILE: '/nonexistent.yaml', GITEA_TOKEN: 'without_an_address' };
    for (const environment of [{}, incomplete]) {
      const { lines, warnings } = await preview('opened.yaml', 'codeberg/engines/handbook', environment);
      assert.match(lines.join('\n'), /^Hero: 1 would earn it\n {2}ada /);
      assert.match(warnings.join('\n'), /^codeberg is not configured here, so conditions .* get no warning$/);
    }
  });

  it('names the missing setting when --read cannot reach the host', async () => {
    await using directory = await makeTemporaryDirectory();
    await writeFile(directory.pathOf('opened.yaml'), opened);
    const io = { environment: { DATA_DIR: directory.path }, print: () => {}, warn: () => {}, isTerminal: false };
    const read = (target: string): Promise<void> =>
      previewAchievements({ ...io, signal: AbortSignal.timeout(60_000) }, [
        directory.pathOf('opened.yaml'),
        target,
        '--read',
      ]);
    await assert.rejects(read('gitea/a/b'), /^.*GITEA_URL is not set; --read needs the address of the host$/);
    await assert.rejects(read('codeberg/a/b'), /PROVIDERS_FILE has no entry codeberg; --read needs the address/);
  });
});
