import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { csvFileName, toCsv } from '../../../src/http/pipeline/csv.ts';

const signs = ['=', '+', '-', '@', '\uFF1D', '\uFF0B', '\uFF0D', '\uFF20'];
const isFormula = (cell: string): boolean => /^["\s\p{C}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/u.test(cell);

function toField(text: string): string {
  return /^\uFEFFtitle\r\n(.*)\r\n$/su.exec(toCsv(['title'], [{ title: text }]))?.[1] ?? assert.fail(text);
}

describe('fields of a table', () => {
  it('begin no formula, also after spaces, control and invisible characters or quotation marks', () => {
    for (const sign of signs)
      for (const start of ['', ' ', '\u00A0', '\u0000', '\u200B', '\uFEFF', '\t', '\r', '\n', '"', ' "', '\u3000'])
        assert.match(toField(`${start}${sign}1+1`), /^"?'/, JSON.stringify(start + sign));
    assert.equal(toField('\tx'), '"\'\tx"');
  });

  it('begin no formula for readers that split cells at other characters', () => {
    for (const separator of [';', '\t', '|', '\n', '\r\n', ','])
      for (const sign of signs)
        for (const start of ['', ' ', '"', ' "', '\u0007'])
          for (const end of ['', '"']) {
            const field = toField(`Fix${separator}${start}${sign}cmd${end}`);
            assert.ok(!field.split(separator).some(isFormula), field);
          }
  });

  it('keep harmless text, and numbers, as they are', () => {
    for (const text of ['Fix a-b = c', 'ada', '2026-01-31T00:00:00Z', 'https://example.org/?a=b', 'é ü 漢'])
      assert.equal(toField(text), text);
    assert.equal(toCsv(['amount', 'of'], [{ amount: -3, of: null }]), '\uFEFFamount,of\r\n-3,\r\n');
    assert.equal(toField('He said "no", and; left'), '"He said ""no"", and; left"');
  });

  it('are in a file with the name of the table', () => {
    for (const [url, name] of [
      ['/v1/github/entities/ada/contributions/issues?limit=3&format=csv', 'github-ada-contributions-issues.csv'],
      ['/v1/gitlab/entities/group:sub/boards?format=csv&after=x', 'gitlab-group-sub-boards.csv'],
      [
        '/v1/github/entities/a%22%0D%0Ab/boards/x?format=csv&period=last-30d',
        'github-a-b-boards-x-period-last-30d.csv',
      ],
    ] as const)
      assert.equal(csvFileName(url), name);
  });
});
