import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { boards } from '../../../src/app/commands/rule-files.ts';
import { boardWith } from '../boards/reported.ts';

async function check(args: string[], input: string, warned?: string[]): Promise<string[]> {
  const lines: string[] = [];
  const io = {
    environment: {},
    input: Readable.from([Buffer.from(input)]),
    print: (line: string) => void lines.push(...line.split('\n')),
    warn: (line: string) => void (warned ?? assert.fail()).push(line),
    isTerminal: false,
    signal: AbortSignal.timeout(60_000),
  };
  await boards(io, ['check', ...args]).catch((error: unknown) => lines.push(String(error)));
  return lines;
}

describe('plaudit boards check', () => {
  it('counts the boards of a file without a fault, and marks an error under its line', async () => {
    assert.deepEqual(await check(['-'], boardWith('')), ['-: 1 board, no fault']);
    assert.deepEqual(await check(['-'], boardWith('ties: share')), [
      '-:8:13: error: ties cannot be share; expected shared or earliest; did you mean shared?',
      '        ties: share',
      '              ^^^^^',
      'AppError: 1 error and 0 warnings',
    ]);
  });

  it('prints JSON for programs, and warns of data that the host does not report', async () => {
    const star = boardWith('', { points: '[{ action: star, points: 1 }]' });
    const [json = '', ...rest] = await check(['--json', '--host', 'gitea', '-'], star);
    assert.deepEqual(rest, []);
    const [report] = JSON.parse(json) as { file: string; severity: string; line: number; message: string }[];
    assert.deepEqual([report?.file, report?.severity, report?.line], ['-', 'warning', 7]);
    assert.match(
      report?.message ?? '',
      /^Gitea and Forgejo do not report the times of stars: this rule never holds there$/,
    );
  });

  it('names each host of the repositories of a board, and one that it does not know', async () => {
    const repositories = '[acme/*, gitea/acme/tools, codeberg/acme/tools, codeberg/acme/site, "!gitlab/acme/*"]';
    const points = "[{ action: star, points: 1 }, { action: issue, condition: 'reason = COMPLETED', points: 1 }]";
    const warned: string[] = [];
    const file = boardWith('', { repositories, points });
    const lines = await check(['--host', 'github', '-'], file, warned);
    assert.deepEqual(
      lines.filter((line) => line.startsWith('-:')).map((line) => line.replace(/^-:\d+:\d+: warning: /, '')),
      [
        'github: GitHub shows who starred a repository to its collaborators alone, so that other tokens and Apps count only the stars that a webhook reports',
        'gitea: Gitea and Forgejo do not report the times of stars: this rule never holds there',
        'gitea: Gitea and Forgejo do not report why an issue was closed: reason is not known there',
      ],
    );
    assert.deepEqual(warned, [
      'codeberg is not configured here, so conditions on data that it does not report get no warning',
    ]);
  });

  it('warns of what hosts do not report of reviews', async () => {
    const points = "[{ action: review, condition: 'state = approved & comments > 1', points: 1 }]";
    const warningsAt = async (host: string): Promise<string[]> => {
      const lines = await check(['--host', host, '-'], boardWith('', { points }));
      return lines.flatMap((line) => /^-:\d+:\d+: warning: (.*)/.exec(line)?.[1] ?? []);
    };
    assert.deepEqual(await warningsAt('github'), [
      'GitHub counts the comments of a review only at the cost of many more requests, so that they are not read: comments is not known there',
    ]);
    assert.deepEqual(await warningsAt('gitlab'), [
      'GitLab reports approvals and requests for changes as reviews, and of these only that an approval was withdrawn',
      'GitLab does not report which comments belong to a review: comments is not known there',
    ]);
    assert.deepEqual([...(await warningsAt('gitea')), ...(await warningsAt('forgejo'))], []);
  });

  it('takes the first of three names for a group, not for a host, at GitLab', async () => {
    const points = "[{ action: star, points: 1 }, { action: issue, condition: 'reason = COMPLETED', points: 1 }]";
    const warned: string[] = [];
    await check(['--host', 'gitlab', '-'], boardWith('', { repositories: '[acme/tools/*]', points }), warned);
    assert.deepEqual(warned, []);
  });
});
