/** The sign of order of bytes: Excel reads a file without it in the code page of the computer. */
const byteOrderMark = '\uFEFF';

/**
 * The start of a cell that a spreadsheet reads as a formula, also where the file is split at semicolons, tabs, bars or
 * lines: quotation marks do not help there, because the field does not begin with one. Blanks, invisible characters and
 * quotation marks before the sign do not protect, and the wide forms of the signs count in East Asian editions. Source:
 * `pages/attacks/CSV_Injection.md` in https://github.com/OWASP/www-community, and requirement 1.2.10 of OWASP ASVS 5.
 */
const formulaStart =
  /(?:^|[,;|\t\r\n])(?=[\s\p{C}\p{Default_Ignorable_Code_Point}"]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B\u2212])|^(?=\p{Cc})/gu;

/**
 * Writes rows as CSV (RFC 4180) that spreadsheets open as UTF-8. A text that a spreadsheet would read as a formula gets an
 * apostrophe in front, because titles are written by strangers; numbers stay as they are.
 */
export function toCsv(
  columns: readonly string[],
  rows: readonly Readonly<Record<string, string | number | boolean | null>>[],
): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))];
  return byteOrderMark + lines.map((fields) => `${fields.map(toField).join(',')}\r\n`).join('');
}

/** The parameters whose values are part of the name of a file. */
const narrowing = new Set(['period', 'since', 'until', 'kinds', 'team', 'type', 'season', 'compare', 'excluded']);

/** Returns the name of the file with a table: the parts of its address that narrow the table. */
export function csvFileName(url: string): string {
  const { pathname, searchParams } = new URL(url, 'http://service');
  const parts = pathname.split('/').filter((part) => !['', 'v1', 'entities'].includes(part));
  const options = [...searchParams].filter(([name]) => narrowing.has(name));
  const words = [...parts, ...options.flat()].join(' ').replaceAll(/%[\da-f]{2}/gi, ' ');
  return `${
    words
      .match(/[\w.-]*\w/g)
      ?.join('-')
      .slice(0, 120) ?? 'table'
  }.csv`;
}

function toField(value: string | number | boolean): string {
  const text = typeof value === 'string' ? value.replaceAll(formulaStart, "$&'") : String(value);
  return /[",;|\t\r\n']|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
