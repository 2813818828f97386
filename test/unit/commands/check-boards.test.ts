import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { boards } from '../../../src/commands/boards.ts';
import { boardWith } from '../boards/reported.ts';

async function check(args: string[], input: string): Promise<string[]> {
  const lines: string[] = [];
  const io = {
    environment: {},
    input: Readable.from([Buffer.from(input)]),
    print: (line: string) => void lines.push(...line.split('\n')),
    warn: () => assert.fail(),
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
    assert.match(report?.message ?? '', /this trigger never holds there/);
  });
});
