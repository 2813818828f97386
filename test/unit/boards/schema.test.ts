import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { boardWith, readText } from './reported.ts';

const schema = JSON.parse(readFileSync(new URL('../../../docs/boards.schema.json', import.meta.url), 'utf8')) as object;
const isValid = new Ajv({ allowUnionTypes: true }).compile(schema);

describe('the JSON schema of boards files', () => {
  it('rejects exactly the files that the reader rejects for their shape', () => {
    const files = [
      boardWith(''),
      boardWith('window: { period: last-30d }\nteams: { red: [ada, "@acme/core"] }\nthreshold: 5\nprivate: true'),
      boardWith('people: { bots: false, exclude: [ci] }\ngrants: [{ person: a, points: 1, reason: b, granted_by: c }]'),
      boardWith('', { points: '[{ action: commit, points: 1, decay: 0.5, per_day: 3 }]' }),
      boardWith('', { points: '[{ action: commit, points: 1, decay: x }]' }),
      boardWith('', { points: '[]' }),
      boardWith('private: 1'),
      boardWith('teams: { red: ada }'),
      boardWith('threshold: 0'),
      boardWith('').replace('slug: sprint', 'slug: "a b"'),
    ];
    for (const file of files) {
      const isRead = readText(file).reports.every(({ severity }) => severity !== 'error');
      assert.equal(isValid(parse(file)), isRead, file);
    }
  });
});
