import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import manifest from '../../../package.json' with { type: 'json' };
import { commands, misuse } from '../../../src/app/commands/index.ts';
import { readConfigFile } from '../../../src/recognition/achievements/config-file.ts';

/** Returns the lines of code blocks of a document, without prompts and comments. */
function listCodeLines(file: string): string[] {
  const text = readFileSync(file, 'utf8').replaceAll('\\\n', ' ');
  const blocks = [...text.matchAll(/^```\w*\n(.*?)^```/gms)].map(([, code = '']) => code).join('\n');
  const indented = text.split('\n').filter((line) => /^ {4}/.test(line));
  return [...blocks.split('\n'), ...indented].map((line) => line.trim().replace(/\s+# .*$/, ''));
}

const documents = globSync(['README.md', 'CONTRIBUTING.md', 'docs/*.md', 'docs/providers/*.md']);
const lines = documents.flatMap((file) => listCodeLines(file).map((line) => ({ file, line })));

describe('commands in the documents', () => {
  it('exist, and take the arguments that are written', () => {
    const found = lines.flatMap(({ file, line }) => {
      const [, rest] = /(?:^|\s)(?:npm run -s )?plaudit (?:-- )?([a-z].*)$/.exec(line) ?? [];
      return rest === undefined
        ? []
        : [
            {
              file,
              words: rest
                .replaceAll(/[[\]]/g, '')
                .replace(/ [|>].*$/, '')
                .split(/\s+/),
            },
          ];
    });
    assert.ok(found.length > 15);
    for (const { file, words } of found) {
      const [name = '', ...args] = words;
      const command = Object.entries(commands).find(([commandName]) => commandName === name)?.[1];
      assert.ok(command, `${file}: ${name}`);
      assert.equal(misuse(name, command, args), undefined, `${file}: ${words.join(' ')}`);
    }
  });

  it('are scripts of the package where npm runs them', () => {
    const found = lines.flatMap(({ file, line }) =>
      [...line.matchAll(/npm (?:run (?:-s )?([\w:]+)|(start|test))\b/g)].map(([, script, short]) => ({
        file,
        script: script ?? short ?? '',
      })),
    );
    assert.ok(found.length > 10);
    for (const { file, script } of found) assert.ok(Object.hasOwn(manifest.scripts, script), `${file}: ${script}`);
  });

  it('accept the example of an achievements file as it is written', () => {
    const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(readFileSync('docs/achievements.md', 'utf8')) ?? [];
    const { config, reports } = readConfigFile(Buffer.from(yaml));
    assert.equal(config.achievements.length, 3);
    assert.deepEqual(reports, []);
  });

  it('name every input of the action, with its default', () => {
    const { inputs }: { inputs: Record<string, { default: string }> } = parse(readFileSync('action.yml', 'utf8'));
    const text = readFileSync('docs/action.md', 'utf8');
    const rows = new Map(
      [...text.matchAll(/^\| `([\w-]+)` \| (.*default: .*) \|$/gm)].map(([, name, row]) => [name, row]),
    );
    assert.deepEqual([...rows.keys()], Object.keys(inputs));
    for (const [name, { default: value }] of Object.entries(inputs)) {
      if (/^[^$]/.test(value)) assert.ok(rows.get(name)?.includes(`default: \`${value}\``), name);
    }
    const used = [...text.matchAll(/^ {10}([\w-]+): /gm)].map(([, name = '']) => name);
    for (const name of used) assert.ok(Object.hasOwn(inputs, name), name);
  });
});
