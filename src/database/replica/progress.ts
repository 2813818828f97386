import type { Position } from '../queue/announcements.ts';

/** Changes that are not announced, such as times of fetches, are in reads from a replica after one to two of these, in s. */
const markEveryS = 1;

type Mark = Pick<Position, 'at' | 'lsn'>;

/** The part of the server's log that reads of this node have to contain. */
export class Progress {
  /** The end of the log when the last change was announced to this node. */
  #changed: number;
  /** Two earlier ends of the log, at least `markEveryS` apart. */
  #marks: readonly [older: Mark, newer: Mark];

  constructor(position: Mark) {
    this.#changed = position.lsn;
    this.#marks = [position, position];
  }

  /** @param isChanged whether changes were announced since the last position, or may have been. */
  add(position: Mark, { isChanged }: { isChanged: boolean }): void {
    if (isChanged) this.#changed = position.lsn;
    const [, newer] = this.#marks;
    if (position.at - newer.at >= markEveryS) this.#marks = [newer, { at: position.at, lsn: position.lsn }];
  }

  get neededLsn(): number {
    return Math.max(this.#changed, this.#marks[0].lsn);
  }
}
