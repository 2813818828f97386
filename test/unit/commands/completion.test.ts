import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { commands } from '../../../src/app/commands/index.ts';
import { hostKinds } from '../../../src/hosts/config/host-settings.ts';
import { runCommand } from '../../run-command.ts';

async function printScript(shell: string | undefined): Promise<string> {
  const [script = ''] = await runCommand(
    async (io, argument) => void (await commands['completion']?.run(io, argument === undefined ? [] : [argument])),
    shell,
    {},
  );
  return script;
}

/** Returns what bash offers for the last word of a line. */
async function complete(...words: string[]): Promise<string[]> {
  const program = `${await printScript('bash')}
COMP_WORDS=(plaudit "$@"); COMP_CWORD=$#; _plaudit; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', program, 'bash', ...words], { encoding: 'utf8' });
  assert.equal(stderr, '');
  return stdout.split('\n').filter((word) => word !== '');
}

describe('completion in shells', () => {
  it('offers commands, their parts, their options and the values of these in bash', async () => {
    assert.deepEqual(await complete('ach'), ['achievements']);
    assert.deepEqual(await complete(''), [...Object.keys(commands), 'help', '--help', '--version']);
    assert.deepEqual(await complete('achievements', 'c'), ['check']);
    assert.deepEqual(await complete('completion', ''), ['bash', 'zsh', 'fish', '--help']);
    assert.deepEqual(await complete('boards', 'check', '--'), ['--host', '--json', '--help']);
    assert.deepEqual(await complete('boards', 'check', '--host', ''), hostKinds);
    assert.deepEqual(await complete('serve', 'x'), []);
    assert.deepEqual(await complete('nonsense', ''), []);
  });

  for (const shell of ['zsh', 'fish']) {
    const isInstalled = spawnSync(shell, ['--version']).status === 0;
    it(`names every command and option in ${shell}, which can read it`, { skip: !isInstalled }, async () => {
      const script = await printScript(shell);
      for (const [name, { options }] of Object.entries(commands)) {
        assert.ok(script.includes(name), name);
        for (const option of options) assert.ok(script.includes(option), option);
      }
      await using directory = await makeTemporaryDirectory();
      await writeFile(directory.pathOf('script'), script);
      const { stderr, status } = spawnSync(shell, ['-n', directory.pathOf('script')], { encoding: 'utf8' });
      assert.deepEqual([status, stderr], [0, '']);
    });
  }

  it('offers commands in fish', { skip: spawnSync('fish', ['--version']).status !== 0 }, async () => {
    const program = `${await printScript('fish')}\ncomplete -C 'plaudit achievements '; complete -C 'plaudit exp'`;
    const { stdout } = spawnSync('fish', ['--no-config', '-c', program], { encoding: 'utf8' });
    assert.match(stdout, /^check\n/m);
    assert.match(stdout, /^export\t/m);
  });

  it('refuses another shell', async () => {
    for (const shell of ['tcsh', 'toString', undefined]) await assert.rejects(printScript(shell), /bash, zsh or fish/);
  });
});
