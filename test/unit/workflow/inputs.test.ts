import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { type Inputs, readInputs } from '../../../workflow/inputs.ts';

const address = '/v1/github/entities/ada/contributions';
const defaults = { limit: '10', directory: 'cards', message: 'Update cards', 'workflow-token': 'own' };

function read(inputs: Record<string, string>, workspace = '/nowhere'): Inputs {
  const given: Record<string, string> = { ...defaults, ...inputs };
  return readInputs((name) => given[name] ?? '', {
    workspace,
    temporary: '/nowhere',
    serverUrl: 'https://host.example',
    repository: 'ada/engine',
    host: 'github',
  });
}

/** Returns the messages with which inputs are refused. */
function listProblems(inputs: Record<string, string>, workspace?: string): string[] {
  try {
    read(inputs, workspace);
    return [];
  } catch (error) {
    assert.ok(error instanceof AggregateError);
    return error.errors.map((problem: Error) => problem.message);
  }
}

describe('inputs of the action', () => {
  it('are the contributors to the repository, read with its own token, by default', () => {
    assert.deepEqual(read({}), {
      cards: [
        {
          file: 'cards/contributors.svg',
          address: '/v1/github/entities/ada/repositories/engine/contributors?limit=10&hide=coverage',
        },
      ],
      token: 'own',
      isWorkflowToken: true,
      message: 'Update cards',
      ref: undefined,
      isUploadOnly: false,
    });
    assert.equal(read({ token: 'another' }).isWorkflowToken, false);
    assert.equal(read({ ref: 'refs/heads/assets' }).ref, 'assets');
  });

  it('are refused with one message for each problem', () => {
    assert.deepEqual(
      listProblems({ limit: '101', 'upload-only': 'yes', ref: 'a..b', message: '', 'workflow-token': '' }),
      [
        'upload-only is true or false, not yes',
        'token is empty: no data can be read without one',
        'message is empty: a commit needs one',
        'ref "a..b" is not the name of a branch',
        'limit is a number from 1 to 100, not "101"',
      ],
    );
    assert.deepEqual(listProblems({ cards: `me.svg\nme.gif ${address}\nyou.svg https://a.example/card` }), [
      'a line of cards needs a file and an address: me.svg',
      'me.gif: files end with .svg or .png',
      'you.svg: the address of a card begins with /v1/ and has no spaces',
    ]);
    assert.equal(listProblems({ 'upload-only': 'true', ref: 'assets' }).length, 1);
    for (const ref of ['-x', 'a b', 'a.lock', '.a', 'a/', '/a', 'a//b', 'a@{1', 'HEAD', 'a\u0007', 'a:b', '@'])
      assert.equal(listProblems({ ref }).length, 1, ref);
  });

  it('are refused where a file is outside of the repository, or is reached by a link', async () => {
    await using directory = await makeTemporaryDirectory();
    const workspace = directory.path;
    await mkdir(join(workspace, 'cards'));
    await symlink('../.git', join(workspace, 'cards/linked'));
    await symlink('../../outside.svg', join(workspace, 'cards/link.svg'));
    await symlink('missing.svg', join(workspace, 'dangling.svg'));
    const inGit = ['./.git/me.svg', '.GIT/me.svg', 'a/.Git/me.svg', './/.git//me.svg', '.git./me.svg', 'GIT~1/me.svg'];
    const others = [
      './../me.svg',
      '//me.svg',
      'a\\..\\me.svg',
      'a\u0007.svg',
      '../me.svg',
      'a/../../me.svg',
      '/a/me.svg',
    ];
    for (const file of [...inGit, ...others, '.git/hooks/me.svg'])
      assert.deepEqual(
        listProblems({ cards: `${file} ${address}` }),
        [`${file} is not a file of the repository`],
        file,
      );
    for (const file of ['cards/linked/me.svg', './cards/linked/hooks/me.svg', 'cards/link.svg', 'dangling.svg'])
      assert.match(listProblems({ cards: `${file} ${address}` }, workspace).join(), /: .* is a link$/, file);
    assert.match(listProblems({ directory: '..' }).join(), /is not a file of the repository/);
    assert.equal(listProblems({ cards: `me.svg ${address}` }, workspace).length, 0);
  });

  it('are refused by the bundled entry, before it installs or requests anything', async () => {
    await using directory = await makeTemporaryDirectory();
    const environment = {
      PATH: '',
      GITHUB_WORKSPACE: directory.path,
      GITHUB_REPOSITORY: 'ada/engine',
      INPUT_LIMIT: 'ten',
      INPUT_DIRECTORY: 'cards',
      INPUT_MESSAGE: 'Update cards',
      'INPUT_WORKFLOW-TOKEN': 'own',
    };
    const entry = [join(import.meta.dirname, '../../../workflow/action.cjs')];
    const ended = promisify(execFile)(process.execPath, entry, { env: environment });
    await assert.rejects(ended, { code: 1, stdout: '::error::limit is a number from 1 to 100, not "ten"\n' });
  });
});
