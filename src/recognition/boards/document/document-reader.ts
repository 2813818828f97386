import type { Account } from '../../../model/account.ts';
import { AppError } from '../../../model/errors.ts';
import type { BoardFiles } from '../file/board-files.ts';
import type { ReadBoardsFile } from '../file/read-file.ts';

const maxWaiting = 32;
const retryAfterMs = 5000;

/** Reads documents that owners send, one of each owner at a time. */
export class DocumentReader {
  readonly #boardFiles: BoardFiles;
  readonly #now: () => Date;
  readonly #owners = new Set<string>();

  constructor({ boardFiles, now }: { boardFiles: BoardFiles; now: () => Date }) {
    this.#boardFiles = boardFiles;
    this.#now = now;
  }

  /**
   * Reads a document, and uses it before another one of the same owner is read.
   * @throws AppError `rate_limited` while another document of the owner is read or used; `overloaded` when too many of
   * other owners wait; `invalid_input` for a document that takes too long.
   */
  async withDocument<Result>(
    owner: Pick<Account, 'id' | 'provider' | 'name'>,
    text: string,
    use: (read: ReadBoardsFile) => Promise<Result>,
  ): Promise<Result> {
    const retryAt = new Date(this.#now().getTime() + retryAfterMs);
    if (this.#owners.has(owner.id))
      throw new AppError('rate_limited', 'Another document of this account is being checked. Retry soon.', { retryAt });
    if (this.#boardFiles.waiting >= maxWaiting)
      throw new AppError('overloaded', 'Too many documents are being checked. Retry soon.', { retryAt });
    this.#owners.add(owner.id);
    try {
      const read = await this.#boardFiles.read(owner, text);
      if (read === undefined)
        throw new AppError('invalid_input', 'The document takes too long to check: it has too many parts.');
      return await use(read);
    } finally {
      this.#owners.delete(owner.id);
    }
  }
}
