import { LineCounter } from 'yaml';
import type { RepositoryFile } from '../../../hosts/interface/provider.ts';
import { findMisleading, type Misleading } from '../../../model/text.ts';
import { type Fault, newFault } from '../conditions/fault.ts';
import { maxFileBytes } from './yaml-tree.ts';

/** A fault at one place of a file, for programs and people. Lines and columns count from 1, columns in UTF-16 units. */
export interface Report {
  /** `warning` means that the file works, but probably not as its author intends. */
  severity: Fault['severity'];
  line: number;
  column: number;
  endLine: number;
  /** The column after the last character. */
  endColumn: number;
  message: string;
  expected: string | null;
  /** The text that the author probably meant. */
  suggestion: string | null;
}

/** The most faults of a file that are reported. */
export const maxReports = 200;
/** The most characters that a message names. */
const maxNamed = 3;

/** Turns faults with offsets into reports in the order of their places, without duplicates. */
export function toReports(text: string, faults: readonly Fault[]): Report[] {
  const lines = countLines(text);
  const misleading = Map.groupBy(
    faults.length === 0 ? [] : findMisleading(text),
    ({ index }) => lines.linePos(index).line,
  );
  const reports = new Map<string, Report>();
  for (const fault of faults.toSorted((one, other) => one.start - other.start)) {
    const [start, end] = [lines.linePos(fault.start), lines.linePos(fault.end)];
    const report: Report = {
      severity: fault.severity,
      line: start.line,
      column: start.col,
      endLine: end.line,
      endColumn: end.col,
      message: fault.message + misleadingNear(misleading, fault.message, start.line),
      expected: fault.expected ?? null,
      suggestion: fault.suggestion ?? null,
    };
    reports.set(JSON.stringify(report), report);
  }
  return shorten([...reports.values()]);
}

/**
 * Returns the rest of a message that names the characters in the line of a fault, or in the next one, which the author does
 * not see: a line whose indentation begins with one continues the line before.
 */
function misleadingNear(byLine: ReadonlyMap<number, Misleading[]>, message: string, line: number): string {
  const found = [line, line + 1].find((candidate) => byLine.has(candidate));
  const named = found === undefined ? [] : (byLine.get(found) ?? []);
  const unseen = new Set(named.filter(({ character }) => !message.includes(character)).map(({ name }) => name));
  const [first] = unseen;
  if (found === undefined || first === undefined || /U\+[0-9A-F]{4}/.test(message)) return '';
  return ` (line ${found} has ${[...unseen].slice(0, maxNamed).join('; ')})`;
}

/** Cuts a long list, because an author who fixes the first faults checks the file again. */
function shorten(reports: Report[]): Report[] {
  const rest = reports.slice(maxReports);
  const [first] = rest;
  if (first === undefined) return reports;
  const severity = rest.some((report) => report.severity === 'error') ? 'error' : 'warning';
  const message = `from here on there are ${rest.length} more faults`;
  return [...reports.slice(0, maxReports), { ...first, severity, message, expected: null, suggestion: null }];
}

/** Formats a report as `message; expected ...; did you mean ...?` in one line. */
export function describeReport({ message, expected, suggestion }: Report): string {
  const parts = [message];
  if (expected !== null) parts.push(`expected ${expected}`);
  if (suggestion !== null) parts.push(`did you mean ${suggestion}?`);
  return printable(parts.join('; '));
}

const maxShown = 160;

/** Formats a report for a terminal: place and message, and below them the line with a mark under the place. */
export function formatReport(file: string, text: string, report: Report): string {
  const { line, column, severity } = report;
  const heading = `${file}:${line}:${column}: ${severity}: ${describeReport(report)}`;
  const source = text.split(/\r?\n/)[line - 1] ?? '';
  const from = column > maxShown / 2 && source.length > maxShown ? column - 1 - maxShown / 2 : 0;
  const excerpt = printable(source.slice(from, from + maxShown));
  const lead = excerpt.slice(0, column - 1 - from).replaceAll(/[^\t]/g, ' ');
  const end = report.endLine === line ? report.endColumn : source.length + 1;
  const width = Math.max(1, Math.min(end - column, excerpt.length - lead.length));
  return `${heading}\n  ${excerpt}\n  ${lead}${'^'.repeat(width)}`;
}

/** Replaces control characters, so that the text of a file cannot control a terminal. */
function printable(text: string): string {
  return text.replaceAll(/[^\P{Cc}\t]/gu, '\ufffd');
}

/** Counts the lines itself, because a text with an early problem never reaches the parser of YAML. */
function countLines(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (const { index } of text.matchAll(/\n/g)) lines.addNewLine(index + 1);
  return lines;
}

/** Returns the text of a file of a repository; undefined for a file that is too long, or no text. */
export function readableText({ text, sizeBytes }: RepositoryFile): string | undefined {
  return text === null || sizeBytes > maxFileBytes ? undefined : text;
}

/** Returns the fault of a file that was not read: it is too long, no text, or took too long. */
export function reportUnread({ text, sizeBytes }: RepositoryFile): Report[] {
  const [message, expected] =
    sizeBytes > maxFileBytes
      ? [`the file has ${sizeBytes} bytes`, `at most ${maxFileBytes}`]
      : text === null
        ? ['the file is not text', 'text in UTF-8']
        : ['the file takes too long to check', 'fewer parts'];
  return toReports('', [newFault({ start: 0, end: 0 }, message, { expected })]);
}
