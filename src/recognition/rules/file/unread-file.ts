import type { RepositoryFile } from '../../../hosts/interface/provider.ts';
import { newFault } from '../conditions/fault.ts';
import { type Report, toReports } from './report.ts';
import { maxFileBytes } from './yaml-tree.ts';

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
