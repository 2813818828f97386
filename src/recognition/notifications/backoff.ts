/** The first delay; the receiver may only be restarting. */
const firstMs = 10_000;
const factor = 3;
/** The longest delay, in ms, even when a receiver requests a longer one. */
export const maxDelayMs = 6 * 3_600_000;
/** The most by which chance changes a delay, so that receivers that failed together are not tried together again. */
const jitterShare = 0.2;

/** The time, in ms, for which a receiver is tried before a message to it is given up. */
export const giveUpAfterMs = 3 * 86_400_000;

/**
 * Returns the delay after a failure, in ms: 10 s, 30 s, 90 s, ... at most 6 hours, each a fifth more or less.
 * @param failures the number of failures in a row, at least 1.
 * @param random a number from 0 to 1.
 */
export function retryDelayMs(failures: number, random: number): number {
  const delayMs = Math.min(maxDelayMs, firstMs * factor ** Math.min(20, failures - 1));
  return Math.round(delayMs * (1 - jitterShare + 2 * jitterShare * random));
}
