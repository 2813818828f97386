import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AchievementFiles } from '../../../src/recognition/achievements/files/achievement-files.ts';
import { BoardFiles } from '../../../src/recognition/boards/file/board-files.ts';
import { describeReport } from '../../../src/recognition/rules/file/report.ts';
import { maxFileBytes } from '../../../src/recognition/rules/file/yaml-tree.ts';
import { shareStoredService } from '../http/stored-service.ts';

/** Returns a text of the longest file, of one unit again and again. */
const full = (beginning: string, unit: string): string =>
  beginning + unit.repeat(Math.floor((maxFileBytes - Buffer.byteLength(beginning)) / Buffer.byteLength(unit)));

const longest = `"${'stared = true & '.repeat(124)}1"`;
const hostile: Readonly<Record<string, string>> = {
  'deep nesting': full('achievements:\n', '[[[[[[[[]]]]]]]], '),
  aliases: full('a: &a [[x, x], [x, x]]\nachievements:\n', '- achievement: *a\n'),
  'long conditions': full(
    'achievements:\n',
    `- achievement: { name: a, triggers: [ { trigger: { actor: author, action: star, condition: ${longest} } } ] }\n`,
  ),
  'thousands of achievements': full('achievements:\n', '- achievement: { name: a, triggers: [] }\n'),
  'a part with a bracket too much, again and again': full('boards:\n', '- board: { name: A, slug: ] }\n'),
};

const owner = (id: string) => ({ id, provider: 'github', name: `owner-${id}` });
const makeFile = (text: string, oid = text) => ({ path: 'p', oid, text, sizeBytes: Buffer.byteLength(text) });

/** Returns the number of threads that start during some work. */
async function countThreads(work: () => Promise<void>): Promise<number> {
  let started = 0;
  const count = (): void => void (started += 1);
  process.on('worker', count);
  await work();
  process.off('worker', count);
  return started;
}

describe('hostile files', () => {
  const shared = shareStoredService();

  for (const [title, text] of Object.entries(hostile)) {
    it(`let requests get responses while they are read: ${title}`, async () => {
      const ended: string[] = [];
      const achievements = new AchievementFiles().read('1', makeFile(text), []).then(() => ended.push('file'));
      const boards = new BoardFiles(new Map()).read(owner('1'), text).then(() => ended.push('file'));
      const health = shared.service.get('/healthz').then(({ status }) => ended.push(`healthz ${status}`));
      await Promise.all([achievements, boards, health]);
      assert.deepEqual(ended, ['healthz 200', 'file', 'file']);
    });
  }

  it('wait for files of other owners, so that an owner has one turn at a time', async () => {
    const files = new AchievementFiles();
    const ended: string[] = [];
    const read = async (ownerId: string, name: string): Promise<void> => {
      await files.read(ownerId, makeFile(`achievements: [] # ${name}`), []);
      ended.push(name);
    };
    await Promise.all([read('1', 'first'), read('1', 'second'), read('1', 'third'), read('2', 'other')]);
    assert.deepEqual(ended, ['first', 'other', 'second', 'third']);
  });

  it('have a fault when they take too long, and are not read again until they change', async () => {
    const files = new AchievementFiles({ readingMs: 1 });
    const read = async (text: string): Promise<void> => {
      const { reports, config } = await files.read('1', makeFile(text, 'oid'), []);
      assert.deepEqual(reports.map(describeReport), ['the file takes too long to check; expected fewer parts']);
      assert.deepEqual(config, { pointActions: [], achievements: [], webhooks: [] });
    };
    const text = hostile['long conditions'] ?? '';
    const started = await countThreads(async () => {
      await read(text);
      await read(text);
      await read(`${text}#`);
    });
    assert.equal(started, 2);
  });

  it('are evaluated by one reading, which all who wait share', async () => {
    const files = new AchievementFiles();
    const stored = { ownerId: '1', oid: '1', text: 'achievements: []' };
    const [one, other] = await Promise.all([files.findConfig(stored), files.findConfig(stored)]);
    assert.equal(one, other);
    assert.equal(await files.copyKept().get('1'), one);
  });
});
