/**
 * Writes rows as CSV (RFC 4180). A text that a spreadsheet would read as a formula gets an apostrophe in front, because
 * titles are written by strangers.
 */
export function toCsv(
  columns: readonly string[],
  rows: readonly Readonly<Record<string, string | number | boolean | null>>[],
): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))];
  return lines.map((fields) => `${fields.map(toField).join(',')}\r\n`).join('');
}

function toField(value: string | number | boolean): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
