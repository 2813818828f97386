import { randomBytes } from 'node:crypto';

/** Returns a source of ids that are unique among all nodes, without reading random bytes for each. */
export function requestIdSource(): () => string {
  const prefix = randomBytes(8).toString('hex');
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}
