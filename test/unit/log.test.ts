import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../src/model/errors.ts';
import { createLog, type Log, linesForPeople } from '../../src/model/log.ts';
import { until } from '../time.ts';

describe('formatting of the log for people', () => {
  it('writes a line with the time, the level, the message, the messages of errors and the details', () => {
    const lines: string[] = [];
    const log = createLog(
      'info',
      linesForPeople((line) => void lines.push(line)),
    );
    log.info('preparing a new database');
    const cause = new Error('connect ECONNREFUSED');
    log.warn(
      { err: new AppError('provider_unavailable', 'GitHub does not respond.', { cause }), stream: 'issues', count: 3 },
      'failed',
    );
    log.debug('hidden');
    assert.deepEqual(
      lines.map((line) => line.replace(/^\d\d:\d\d:\d\d/, 'TIME')),
      [
        'TIME preparing a new database',
        'TIME warn: failed (GitHub does not respond.) (connect ECONNREFUSED) stream=issues count=3',
      ],
    );
  });

  it('lets no text of a host control the terminal', () => {
    const lines: string[] = [];
    const log = createLog(
      'info',
      linesForPeople((line) => void lines.push(line)),
    );
    log.info({ name: '\u001B[2J\r\u202Eevil' }, 'line\nbreak');
    assert.match(lines.join('\n'), /^\S+ line break name= \[2J {2} ?evil$/);
  });
});

interface Written {
  level: string;
  msg: string;
  repeated?: number;
  id?: string;
}

/** Opens a log whose lines are collected, and in which a failure that repeats is written once in an interval. */
function collecting(repeatMs: number): { log: Log; lines: Written[] } {
  const lines: Written[] = [];
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) }, null, repeatMs);
  return { log, lines };
}

describe('failures that repeat in the log', () => {
  const longMs = 3_600_000;
  const full = (file: number): Error =>
    new Error(`could not extend file "base/16384/${file}": No space left on device`);

  it('writes a failure that differs in ids and numbers once', () => {
    const { log, lines } = collecting(longMs);
    for (let count = 0; count < 100; count += 1) {
      log.error({ id: `54d1a0b3-${count}`, err: full(count) }, 'a request failed');
      log.error(`Failed task ${count} (collect, ${count}.5ms, attempt 1 of 25) with error 'disk full'`);
      log.warn({ repositoryId: `0197a0b3-${count}`, stream: 'issues', err: full(count) }, 'a stream cannot be read on');
    }
    assert.deepEqual(
      lines.map(({ level, msg }) => `${level} ${msg.slice(0, 11)}`),
      ['error a request f', 'error Failed task', 'warn a stream ca'],
    );
  });

  it('keeps failures apart by level, message, error, cause and place', () => {
    const { log, lines } = collecting(longMs);
    const caused = (by: string): Error => new AppError('misconfigured', 'The directory.', { cause: new Error(by) });
    log.error({ err: full(1) }, 'a request failed');
    log.warn({ err: full(1) }, 'a request failed');
    log.error({ err: new Error('deadlock') }, 'a request failed');
    log.error({ err: full(1) }, 'a job failed');
    log.warn({ stream: 'issues', err: caused('one') }, 'a stream');
    log.warn({ stream: 'commits', err: caused('one') }, 'a stream');
    log.warn({ stream: 'commits', err: caused('other') }, 'a stream');
    assert.equal(lines.length, 7);
  });

  it('writes each line that is no failure', () => {
    const { log, lines } = collecting(longMs);
    log.info('started');
    log.info('started');
    assert.equal(lines.length, 2);
  });

  it('writes the number of repetitions at the end of the interval, with the last id', async () => {
    const { log, lines } = collecting(10);
    for (const id of ['a-1', 'a-2', 'a-3']) log.error({ id, err: full(1) }, 'a request failed');
    await until(async () => lines[1], 'the repetitions are written');
    assert.deepEqual(
      lines.map(({ id, repeated }) => [id, repeated]),
      [
        ['a-1', undefined],
        ['a-3', 2],
      ],
    );
  });
});
