import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../src/errors.ts';
import { createLog, linesForPeople } from '../../src/log.ts';

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
