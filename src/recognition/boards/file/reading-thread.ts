/** The program of the thread that reads files and documents of boards; `BoardFiles` starts it. */
import assert from 'node:assert/strict';
import { parentPort } from 'node:worker_threads';
import type { Provider } from '../../../hosts/interface/provider.ts';
import type { Account } from '../../../model/account.ts';
import { readBoardsFile, toFileHost } from './read-file.ts';

/** A file, its owner, and the data that hosts do not return. */
export interface UnreadBoards {
  text: string;
  owner: Pick<Account, 'provider' | 'name'>;
  hosts: ReadonlyMap<string, Pick<Provider, 'unreported'>>;
}

assert.ok(parentPort !== null, 'this program runs in a thread');
const port = parentPort;
port.on('message', ({ text, owner, hosts }: UnreadBoards) =>
  port.postMessage(readBoardsFile(Buffer.from(text), toFileHost(owner, hosts))),
);
