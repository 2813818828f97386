import type { Provider } from '../../../hosts/interface/provider.ts';
import type { Account } from '../../../model/account.ts';
import { FileThread, type FileThreadOptions } from '../../rules/file/file-thread.ts';
import type { ReadBoardsFile } from './read-file.ts';
import type { UnreadBoards } from './reading-thread.ts';

const program = new URL('./reading-thread.ts', import.meta.url);

/** Reads files and documents of boards in a thread. */
export class BoardFiles {
  readonly #providers: ReadonlyMap<string, Provider>;
  readonly #thread: FileThread<UnreadBoards, ReadBoardsFile>;

  constructor(providers: ReadonlyMap<string, Provider>, options?: FileThreadOptions) {
    this.#providers = providers;
    this.#thread = new FileThread(program, options);
  }

  /** The number of owners whose files wait. */
  get waiting(): number {
    return this.#thread.waiting;
  }

  /**
   * Reads a file or document of an account when it is its turn.
   * @returns undefined when it takes too long.
   */
  async read(
    { id, provider, name }: Pick<Account, 'id' | 'provider' | 'name'>,
    text: string,
  ): Promise<ReadBoardsFile | undefined> {
    const hosts = new Map([...this.#providers].map(([host, { unreported }]) => [host, { unreported }]));
    return this.#thread.read(id, { text, owner: { provider, name }, hosts });
  }
}
