/** The words of the operating system, Node and git about a disk without space or inodes, and about a quota that is used up. */
const noSpace = /ENOSPC|EDQUOT|No space left|quota exceeded/i;

const diskFull = 'The disk of DATA_DIR, with the histories, is full, or has no free inodes.';

/** Returns the sentence about a full disk, for everyone, where a failure says so; otherwise the given one. */
export function describeDiskFault(failure: unknown, otherwise: string): string {
  return isDiskFull(failure instanceof Error ? failure.message : String(failure)) ? diskFull : otherwise;
}

export function isDiskFull(reason: string): boolean {
  return noSpace.test(reason);
}
