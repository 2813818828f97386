/** The program of the thread that reads files of achievements; `AchievementFiles` starts it. */
import assert from 'node:assert/strict';
import { parentPort } from 'node:worker_threads';
import type { UnreportedKind } from '../../../hosts/interface/provider.ts';
import { readConfigFile } from '../config-file.ts';

/** A file, and the data that its host does not return. */
export interface UnreadFile {
  text: string;
  unreported: readonly UnreportedKind[];
}

assert.ok(parentPort !== null, 'this program runs in a thread');
const port = parentPort;
port.on('message', ({ text, unreported }: UnreadFile) =>
  port.postMessage(readConfigFile(Buffer.from(text), unreported)),
);
