import { createHash } from 'node:crypto';
import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { AppError } from '../../model/errors.ts';

/**
 * The file of a backup: a line of JSON about the whole file; for each table a line of JSON with its columns, frames of
 * rows in the text format of COPY, and an empty frame; then a line of JSON that ends the file. A frame is its length in
 * bytes (32 bits, big-endian) and whole rows, so that a new COPY can begin at each frame.
 */

export const Header = Type.Object({
  plaudit: Type.Literal('copy'),
  format: Type.Literal(1),
  release: Type.String(),
  migration: Type.String(),
});
export type Header = Static<typeof Header>;

const TableLine = Type.Object({ table: Type.String(), columns: Type.Array(Type.String()) });
type TableLine = Static<typeof TableLine>;

export const EndLine = Type.Object({
  isEnd: Type.Literal(true),
  /** The number of rows of each table. */
  rows: Type.Record(Type.String(), Type.Integer()),
  /** The last value of each sequence. */
  sequences: Type.Record(Type.String(), Type.Integer()),
  /** SHA-256 of everything before this line, hexadecimal. */
  sha256: Type.String(),
});
export type EndLine = Static<typeof EndLine>;

const newline = 0x0a;
const lengthBytes = 4;
const maxLineBytes = 1024 * 1024;

export const endOfRows = Buffer.alloc(lengthBytes);

export function toLine(value: Header | TableLine | EndLine): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

/** Splits rows in the text format of COPY into frames. A row ends with the only line feed in it. */
export async function* toFrames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let partialRow: Buffer[] = [];
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(newline) + 1;
    if (end === 0) {
      partialRow.push(chunk);
      continue;
    }
    const whole = [...partialRow, chunk.subarray(0, end)];
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt32BE(whole.reduce((sum, part) => sum + part.length, 0));
    yield length;
    yield* whole;
    partialRow = end === chunk.length ? [] : [chunk.subarray(end)];
  }
  if (partialRow.length > 0) throw new Error('COPY ended within a row');
}

/** Reads a backup from its first byte to its last. */
export class BackupReader {
  readonly #input: AsyncIterator<unknown>;
  readonly #hash = createHash('sha256');
  #held: Buffer = Buffer.alloc(0);

  constructor(input: AsyncIterable<unknown>) {
    this.#input = input[Symbol.asyncIterator]();
  }

  /**
   * Reads the first line.
   * @throws AppError `invalid_input` when the input is no backup.
   */
  async readHeader(): Promise<Header> {
    const header = parse(Header, await this.#readLine().catch(notABackup));
    return header ?? notABackup();
  }

  /**
   * Reads the line of the next table, or the end of the backup.
   * @throws AppError `invalid_input` when the input is cut short or damaged.
   */
  async readNext(): Promise<TableLine | EndLine> {
    const sha256 = this.#hash.copy().digest('hex');
    const line = await this.#readLine();
    const table = parse(TableLine, line);
    if (table !== undefined) return table;
    const end = parse(EndLine, line);
    if (end === undefined || end.sha256 !== sha256 || (await this.#fill())) throw damaged();
    return end;
  }

  /** Reads the length of the next frame, in bytes; 0 after the last row of a table. */
  async readLength(): Promise<number> {
    while (this.#held.length < lengthBytes) if (!(await this.#fill())) throw cutShort();
    return this.#take(lengthBytes).readUInt32BE();
  }

  /** Reads the rows of a frame, in pieces of any length. */
  async *readFrame(length: number): AsyncGenerator<Buffer, void, undefined> {
    for (let left = length; left > 0; ) {
      if (this.#held.length === 0 && !(await this.#fill())) throw cutShort();
      const piece = this.#take(Math.min(left, this.#held.length));
      left -= piece.length;
      yield piece;
    }
  }

  async #readLine(): Promise<string> {
    for (let searched = 0; ; ) {
      const end = this.#held.indexOf(newline, searched);
      if (end >= 0) return this.#take(end + 1).toString();
      searched = this.#held.length;
      if (searched > maxLineBytes) throw damaged();
      if (!(await this.#fill())) throw cutShort();
    }
  }

  #take(length: number): Buffer {
    const taken = this.#held.subarray(0, length);
    this.#held = this.#held.subarray(length);
    this.#hash.update(taken);
    return taken;
  }

  /** Appends the next chunk of the input to the held bytes. @returns false at its end. */
  async #fill(): Promise<boolean> {
    for (;;) {
      const { done, value } = await this.#input.next();
      if (done) return false;
      const chunk = typeof value === 'string' ? Buffer.from(value) : value;
      if (!(chunk instanceof Buffer)) throw new TypeError('the input is no stream of bytes');
      if (chunk.length === 0) continue;
      this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
      return true;
    }
  }
}

function parse<Schema extends TSchema>(schema: Schema, line: string): Static<Schema> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return Value.Check(schema, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function notABackup(cause?: unknown): never {
  if (cause !== undefined && !(cause instanceof AppError)) throw cause;
  throw new AppError(
    'invalid_input',
    'This is no backup by "plaudit backup". Decompress it if it is compressed; "plaudit import" reads exports.',
  );
}

function cutShort(): AppError {
  return new AppError('invalid_input', 'The backup is cut short: its end is missing.');
}

export function damaged(): AppError {
  return new AppError('invalid_input', 'The backup is damaged: its content does not fit its checksum.');
}
