const firstBytes = 16_384;

/**
 * The bytes of a body while it is received, in one block of memory. Chunks are copied, because each one that is kept
 * costs more than a hundred bytes: a body in chunks of one byte would occupy a hundred times its length.
 */
export class GrowingBuffer {
  readonly #most: number;
  #block = Buffer.alloc(0);
  #length = 0;

  /** @param most the most bytes that are appended. */
  constructor(most: number) {
    this.#most = most;
  }

  get length(): number {
    return this.#length;
  }

  /** The bytes of memory in use. */
  get capacity(): number {
    return this.#block.length;
  }

  /** Returns the bytes of memory in use after an append. */
  capacityWith(bytes: number): number {
    const needed = this.#length + bytes;
    if (needed <= this.#block.length) return this.#block.length;
    return Math.max(needed, Math.min(this.#most, Math.max(firstBytes, this.#block.length * 2)));
  }

  append(chunk: Buffer): void {
    const capacity = this.capacityWith(chunk.length);
    if (capacity > this.#block.length) {
      const grown = Buffer.allocUnsafeSlow(capacity);
      this.#block.copy(grown, 0, 0, this.#length);
      this.#block = grown;
    }
    chunk.copy(this.#block, this.#length);
    this.#length += chunk.length;
  }

  bytes(): Buffer {
    return this.#block.subarray(0, this.#length);
  }
}
