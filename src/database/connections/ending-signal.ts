import { exitAtOnce } from '../../model/exit.ts';

/** The exit status of a command that was interrupted by a signal. */
export const interrupted = 130;

const endTimeoutMs = 5000;

/** npm sends SIGINT a second time, so that a terminal's Ctrl-C arrives twice. */
const sameRequestMs = 2000;

/**
 * Returns a signal that aborts at the first request to end; a later request ends the process at once.
 * @param lateStatus the exit status when the work does not end in time.
 */
export function endingSignal(lateStatus: number): AbortSignal {
  const ending = new AbortController();
  let requestedAt = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (ending.signal.aborted) {
        if (performance.now() - requestedAt > sameRequestMs) exitAtOnce(interrupted);
        return;
      }
      requestedAt = performance.now();
      ending.abort();
      // Stored data is safe at any moment: other nodes or the next start repeat the work that did not end.
      setTimeout(() => {
        process.stderr.write('plaudit: work under way did not end in time; it is repeated later\n');
        exitAtOnce(lateStatus);
      }, endTimeoutMs).unref();
    });
  }
  return ending.signal;
}
