import type { Place } from './announcements.ts';

/** Changes that are not announced, such as times of fetches, are in reads from a replica after one to two of these, in s. */
const markEveryS = 1;

type Mark = Pick<Place, 'at' | 'lsn'>;

/** The part of the server's log that reads of this node have to contain. */
export class Progress {
  /** The end of the log when the last change was announced to this node. */
  #changed: number;
  /** Two earlier ends of the log, at least `markEveryS` apart. */
  #marks: readonly [older: Mark, newer: Mark];

  constructor(place: Mark) {
    this.#changed = place.lsn;
    this.#marks = [place, place];
  }

  /** @param isChanged whether changes were announced since the last place, or may have been. */
  add(place: Mark, { isChanged }: { isChanged: boolean }): void {
    if (isChanged) this.#changed = place.lsn;
    const [, newer] = this.#marks;
    if (place.at - newer.at >= markEveryS) this.#marks = [newer, { at: place.at, lsn: place.lsn }];
  }

  get neededLsn(): number {
    return Math.max(this.#changed, this.#marks[0].lsn);
  }
}
