/** Splits a stream of bytes at its NULs; chunks may end anywhere. */
export class NulRecords {
  readonly #maxLength: number;
  /** The start of a record whose end has not arrived yet. */
  #rest = '';

  /** @param maxLength in bytes; the rest of a longer record is dropped. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** @param onRecord receives each record that ends in `chunk`, one character per byte. */
  push(chunk: Buffer, onRecord: (record: string) => void): void {
    // Decoding the whole chunk, one character per byte, is the fastest way to split it.
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

/** @param bytes one character per byte; bytes that are not UTF-8 become U+FFFD. */
export function fromUtf8(bytes: string): string {
  return /[\x80-\xff]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;
}
