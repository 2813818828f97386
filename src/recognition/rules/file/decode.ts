import { type Fault, newFault } from '../conditions/fault.ts';

/** The size limit of files of achievements and of boards. */
export const maxFileBytes = 256 * 1024;

/** Decodes a file. A file that is too large or no UTF-8 has one fault. */
export function decode(bytes: Uint8Array): { text: string; fault?: Fault } {
  const isTooLarge = bytes.length > maxFileBytes;
  const readBytes = isTooLarge ? bytes.subarray(0, 0) : bytes;
  if (isTooLarge) {
    const fault = newFault({ start: 0, end: 0 }, `the file has ${bytes.length} bytes`, {
      expected: `at most ${maxFileBytes}`,
    });
    return { text: '', fault };
  }
  const text = new TextDecoder('utf-8').decode(readBytes);
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(readBytes);
    return { text };
  } catch {
    const start = Math.max(0, text.indexOf('\ufffd'));
    return {
      text,
      fault: newFault({ start, end: start + 1 }, 'these bytes are not UTF-8', { expected: 'text in UTF-8' }),
    };
  }
}
