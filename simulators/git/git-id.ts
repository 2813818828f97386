import { createHash } from 'node:crypto';

/** Returns the id that git gives to an object. */
export function gitId(type: 'blob' | 'tree' | 'commit', content: Buffer): string {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');
}
