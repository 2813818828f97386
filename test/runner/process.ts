import hooks from 'node:async_hooks';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { captureStatements } from '../statements/capture.ts';
import type { Assigned } from './batch.ts';
import { createReporter, endOfFile } from './reporter.ts';

/**
 * A process of the test runner: runs the test files that it receives one after another, and reports each test. It sends
 * a message when it is free for a file, and ends when the channel is closed.
 */

const { createHook } = hooks;
// Node's runner follows every promise to find the test of an uncaught error, which takes a twentieth of the processor
// time of the tests. It takes `createHook` from this module as soon as it is used, and the reporter finds such a test
// by its end instead.
hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
const { run, test } = await import('node:test');

const statementsInto = process.env['TEST_STATEMENTS'];
if (statementsInto !== undefined) captureStatements(statementsInto);

const uncaught: unknown[] = [];
process.on('uncaughtException', (error) => uncaught.push(error));
process.on('unhandledRejection', (error) => uncaught.push(error));
process.on('exit', () => {
  for (const error of uncaught) console.error('after the last test:', error);
});

run({ files: [], isolation: 'none' })
  .on('test:fail', () => {
    process.exitCode = 1;
  })
  .compose(createReporter(uncaught))
  .pipe(process.stdout);

let goOn = endFile();
process.on('message', ({ file, environment }: Assigned) => {
  Object.assign(process.env, environment);
  // A test that waits for nothing fails at once, because only its own work keeps the process alive.
  process.channel?.unref();
  void load(file).then(() => {
    const begin = goOn;
    goOn = endFile();
    begin();
  });
});
process.on('disconnect', () => goOn());

async function load(file: string): Promise<void> {
  try {
    await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    void test(file, () => {
      throw error;
    });
  }
}

/**
 * Adds a test that begins when all tests so far have ended, and goes on until the next file is loaded: Node's runner ends
 * as soon as it has no test.
 * @returns a function that ends it.
 */
function endFile(): () => void {
  const { promise, resolve: end } = Promise.withResolvers<void>();
  void test(endOfFile, { timeout: Number.POSITIVE_INFINITY }, () => {
    process.channel?.ref();
    if (process.connected) process.send?.('free');
    return promise;
  });
  return end;
}
