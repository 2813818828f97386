const firstMs = 10_000;
const factor = 3;
/** Also where a receiver asks for more. */
export const maxDelayMs = 6 * 3_600_000;
/** So that those who failed together do not come back together. */
const jitterShare = 0.2;

/** For how long a receiver is tried before a message to it is given up. */
export const giveUpAfterMs = 3 * 86_400_000;

/**
 * How long to wait after a failure: 10 s, 30 s, 90 s, ... at most 6 hours, each a fifth more or less.
 * @param failures in a row, at least 1.
 * @param random from 0 to 1.
 */
export function retryDelayMs(failures: number, random: number): number {
  const delayMs = Math.min(maxDelayMs, firstMs * factor ** Math.min(20, failures - 1));
  return Math.round(delayMs * (1 - jitterShare + 2 * jitterShare * random));
}
