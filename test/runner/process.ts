import hooks from 'node:async_hooks';
import { resolve } from 'node:path';
import { captureStatements } from '../statements/capture.ts';
import { createReporter } from './reporter.ts';

/** A process of the test runner: runs the test files that are its arguments one after another, and reports each test. */

const { createHook } = hooks;
// Node's runner follows every promise to find the test of an uncaught error, which takes a twentieth of the processor
// time of the tests. It takes `createHook` from this module as soon as it is used, and the reporter finds such a test
// by its end instead.
hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
const { run } = await import('node:test');

const statementsInto = process.env['TEST_STATEMENTS'];
if (statementsInto !== undefined) captureStatements(statementsInto);

const uncaught: unknown[] = [];
process.on('uncaughtException', (error) => uncaught.push(error));
process.on('unhandledRejection', (error) => uncaught.push(error));
process.on('exit', () => {
  for (const error of uncaught) console.error('after the last test:', error);
});

run({ files: process.argv.slice(2).map((file) => resolve(file)), isolation: 'none' })
  .on('test:fail', () => {
    process.exitCode = 1;
  })
  .compose(createReporter(uncaught))
  .pipe(process.stdout);
