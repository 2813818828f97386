/** The program of the thread that reads documents; `DocumentReader` starts it. */
import assert from 'node:assert/strict';
import { parentPort } from 'node:worker_threads';
import type { Provider } from '../../../hosts/interface/provider.ts';
import type { Account } from '../../../model/account.ts';
import { readBoardsFile, toFileHost } from '../file/read-file.ts';

/** A document, its owner, and the data that hosts do not return. */
export interface UnreadDocument {
  text: string;
  owner: Pick<Account, 'provider' | 'name'>;
  hosts: ReadonlyMap<string, Pick<Provider, 'unreported'>>;
}

assert.ok(parentPort !== null, 'this program runs in a thread');
const port = parentPort;
port.on('message', ({ text, owner, hosts }: UnreadDocument) =>
  port.postMessage(readBoardsFile(Buffer.from(text), toFileHost(owner, hosts))),
);
