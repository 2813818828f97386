import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { BenchResult } from '../../../bench/bench-result.ts';
import { compareWithTable, findClaims, findMissed, runClaims } from '../../../bench/claims.ts';

const table = '| claim | ratio | goal | in this run |\n|---|---|---|---|\n| fast | 0.93 | >=0.8 | 7 requests/s |\n';
const fast: BenchResult = { name: 'fast', ratio: 1, goal: '>=0.8', baseline: 'nothing' };

describe('claims', () => {
  it('are the files of a folder that export run, in any form', () => {
    using folder = makeFolder({
      'one.ts': 'export async function run() {}',
      'two.ts': 'export function run(): void {}',
      'three.ts': 'export const run = async () => [];',
      'runner.ts': 'export function running() {}\nfunction run() {}',
      'README.md': 'export async function run() {}',
    });
    assert.deepEqual(findClaims(folder.url), ['one', 'three', 'two']);
  });

  for (const atOnce of [1, 2]) {
    it(`all run when one of them fails, ${atOnce} at a time`, async () => {
      using folder = makeFolder({
        'bad.ts': "export async function run() { throw new Error('wrong total'); }",
        'good.ts': `export async function run() { return [${JSON.stringify(fast)}]; }`,
      });
      const results: BenchResult[] = [];
      const onResult = (result: BenchResult): void => void results.push(result);
      const failures = await runClaims(folder.url, findClaims(folder.url), { atOnce, onResult });
      assert.deepEqual(results, [fast]);
      assert.deepEqual(failures, [{ claim: 'bad', error: new Error('wrong total') }]);
    });
  }

  it('differ from the documented ones when one is missing, additional, or has another goal', () => {
    assert.deepEqual(compareWithTable([fast], table), []);
    assert.deepEqual(compareWithTable([], table), ['no claim measures fast >=0.8, a row of the table']);
    assert.deepEqual(compareWithTable([fast, { ...fast, name: 'new', goal: 'none' }], table), [
      'no row of the table has the name and goal new none',
    ]);
    assert.equal(compareWithTable([{ ...fast, goal: '>=0.9' }], table).length, 2);
    assert.deepEqual(compareWithTable([fast], table.replace('0.93', '-0.07')), [], 'an exponent may be negative');
  });

  it('miss goals about blocks beyond their limit', () => {
    const flat: BenchResult = { name: 'flat', ratio: 0.1, goal: '<=0.1', isOfBlocks: true, baseline: '4 blocks' };
    const grown = { ...flat, ratio: 0.104, detail: '5 blocks' };
    assert.deepEqual(findMissed([flat, { ...flat, ratio: -0.3 }]), []);
    assert.deepEqual(findMissed([flat, grown]), ['flat is 0.104, not <=0.1: 5 blocks; 4 blocks']);
    assert.equal(findMissed([{ ...flat, goal: '>=0.2' }]).length, 1);
    assert.deepEqual(findMissed([{ ...grown, goal: 'none' }]), []);
    assert.deepEqual(findMissed([{ ...grown, isOfBlocks: false }]), [], 'times differ between machines');
  });
});

describe('the command that runs claims', () => {
  it('names the claim that is nearest to an unknown one, and runs none', () => {
    const { status, stdout, stderr } = bench('conditions', 'condition');
    assert.equal(status, 1);
    assert.match(stderr, /^There is no claim condition\. Did you mean conditions\? The claims are [\w-]+, /);
    assert.equal(stdout, '');
  });

  it('says that the numbers of the smallest sizes mean nothing', () => {
    const { status, stdout } = bench('--smallest', 'conditions');
    assert.match(
      stdout,
      /^The sizes are the smallest: .* mean nothing\.\nconditions ratio=\d+\.\d+ goal >=1 baseline=/,
    );
    assert.equal(status, 0);
  });
});

function bench(...parameters: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, ['bench/run.ts', ...parameters], { encoding: 'utf8' });
}

function makeFolder(files: Record<string, string>): { url: URL } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'plaudit-claims-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return { url: pathToFileURL(`${path}/`), [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}
