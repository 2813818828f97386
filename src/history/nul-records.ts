/** Cuts a stream of bytes at its NULs, however it comes in pieces. */
export class NulRecords {
  readonly #maxLength: number;
  /** Start of a record whose end is still to come. */
  #rest = '';

  /** @param maxLength in bytes; what a record has beyond is left out. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** @param onRecord is given the records that end in `chunk`, a character a byte. */
  push(chunk: Buffer, onRecord: (record: string) => void): void {
    // A character a byte, and all at once: the fastest way to cut it.
    const text = chunk.toString('latin1');
    let start = 0;
    for (let end = text.indexOf('\0'); end >= 0; end = text.indexOf('\0', start)) {
      this.#keep(text, start, end);
      const record = this.#rest;
      this.#rest = '';
      onRecord(record);
      start = end + 1;
    }
    this.#keep(text, start, text.length);
  }

  #keep(text: string, start: number, end: number): void {
    const length = Math.min(end - start, this.#maxLength - this.#rest.length);
    if (length > 0) this.#rest += text.slice(start, start + length);
  }
}

/** @param bytes a character a byte; those that are not UTF-8 become U+FFFD. */
export function fromUtf8(bytes: string): string {
  return /[\x80-\xff]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;
}
