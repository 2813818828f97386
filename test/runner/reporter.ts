import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

/** The result of one test, as a process with tests reports it: one line of JSON each. */
export interface TestResult {
  /** Titles from the outermost suite or test to this one. */
  titles: string[];
  file: string;
  durationMs: number;
  /** `skipped` is a test or a suite that did not run, such as one for another operating system. */
  outcome: 'passed' | 'failed' | 'skipped';
  /** The error of a failed test, for people. */
  error?: string;
  /** The reason for which a test or a suite did not run; undefined where it names none. */
  reason?: string;
}

/** Marks lines of results in the output of a process. */
export const resultMark = '\u0001result ';

/** The title of a test that only separates files; it is not reported. */
export const endOfFile = 'end of a file';

/**
 * Reports results for the process that runs the tests. Suites are left out, because their tests say whether they passed,
 * unless they did not run, or a hook before or after their tests failed.
 * @param uncaught errors that no code caught; the reporter takes them, and the test that ends next fails.
 */
export function createReporter(uncaught: unknown[]): (events: AsyncIterable<TestEvent>) => AsyncGenerator<string> {
  return (events) => report(events, uncaught);
}

async function* report(events: AsyncIterable<TestEvent>, uncaught: unknown[]): AsyncGenerator<string> {
  const titles: string[] = [];
  for await (const { type, data } of events) {
    if (type === 'test:start') titles.splice(data.nesting, Infinity, data.name);
    if (type === 'test:stdout' || type === 'test:stderr') yield data.message;
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, nesting, file = '', details } = data;
    const failure = type === 'test:fail' ? data.details.error : undefined;
    const { failureType }: { failureType?: string } = Object(failure);
    if (nesting === 0 && name === endOfFile) continue;
    const isSkipped = data.skip !== undefined && data.skip !== false;
    const saysItself = isSkipped || failureType === 'hookFailed';
    if ((details.type === 'suite' && !saysItself) || failureType === 'subtestsFailed') continue;
    const own = failure === undefined ? [] : [failure.cause ?? failure];
    const errors = [...new Set([...own, ...uncaught.splice(0)])];
    const result: TestResult = {
      titles: [...titles.slice(0, nesting), name],
      file,
      durationMs: details.duration_ms,
      outcome: errors.length > 0 ? 'failed' : isSkipped ? 'skipped' : 'passed',
      ...(errors.length > 0 && { error: errors.map((error) => inspect(error, { depth: 5 })).join('\n') }),
      ...(typeof data.skip === 'string' && { reason: data.skip }),
    };
    yield `${resultMark}${JSON.stringify(result)}\n`;
  }
}
