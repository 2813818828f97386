import { nearest } from '../../../model/text/nearest.ts';
import { newFault } from '../../rules/conditions/fault.ts';
import { readParts, short } from '../../rules/file/read-node.ts';
import type { YamlNode } from '../../rules/file/yaml-tree.ts';
import type { RepositoryPattern, RepositoryPlace } from '../board.ts';
import type { BoardReading } from './reading.ts';
import { maxRepositories, RepositoryText } from './schema.ts';

const part = /^[A-Za-z0-9_.-]{1,255}$/;
const namePattern = /^[A-Za-z0-9_.*?-]{1,255}$/;
/** GitLab nests groups up to twenty levels deep. */
const maxParts = 22;
const forms = 'OWNER/NAME, OWNER/* or PROVIDER/OWNER/NAME, or the same after !';

/** Reads the patterns of a board's repositories; faulty ones are left out. */
export function readPatterns(node: YamlNode, reading: BoardReading): RepositoryPattern[] {
  const { faults, provider } = reading;
  const patterns: RepositoryPattern[] = [];
  const seen = new Set<string>();
  const parts = readParts(RepositoryText, node, maxRepositories);
  const texts = parts.map(({ value }) => value);
  for (const { value: text, node: place } of parts) {
    const pattern = toPattern(text, provider);
    if (typeof pattern === 'string') {
      faults.push(newFault(place, `${short(text)} ${pattern}`, { expected: forms, suggestion: likely(text) }));
      continue;
    }
    if (seen.has(text.toLowerCase())) {
      const message = `${short(text)} is here twice`;
      faults.push(newFault(place, message, { severity: 'warning', expected: 'each pattern once' }));
    }
    seen.add(text.toLowerCase());
    if (!pattern.isIncluded) warnOfUseless(pattern, texts, place, reading);
    patterns.push(pattern);
  }
  if (patterns.length > 0 && patterns.every(({ isIncluded }) => !isIncluded)) {
    faults.push(newFault(node, 'no repository is included', { expected: 'a pattern without !' }));
  }
  return patterns;
}

/** @returns the pattern, or the end of a sentence that says why the text is none. */
function toPattern(text: string, provider: string): RepositoryPattern | string {
  const isIncluded = !text.startsWith('!');
  const bare = isIncluded ? text : text.slice(1);
  const parts = bare.split('/');
  const name = parts.at(-1) ?? '';
  const owners = parts.slice(0, -1);
  if (parts.length < 2 || parts.length > maxParts) return 'names no repository';
  if (owners.some((owner) => /[*?]/.test(owner)))
    return 'has a pattern in the name of its owner, which is named in full';
  if (!owners.every((owner) => part.test(owner)) || !namePattern.test(name)) return 'names no repository';
  const [first = '', ...rest] = owners;
  const places: RepositoryPlace[] = [{ provider, owner: owners.join('/'), name }];
  if (rest.length > 0) places.push({ provider: first.toLowerCase(), owner: rest.join('/'), name });
  return { isIncluded, places, text: bare };
}

/**
 * Returns the pattern that the author probably meant by an address or a text with white space; undefined for other
 * texts.
 */
function likely(text: string): string | undefined {
  const path = text
    .trim()
    .replace(/^(!?)https?:\/\/[^/]+\//, '$1')
    .replace(/(\.git|\/)$/, '');
  return path !== text && typeof toPattern(path, '') !== 'string' ? path : undefined;
}

/** Returns the owner that a pattern names, in lower case. */
function ownerOf(text: string): string {
  return text.replace(/^!/, '').split('/').slice(0, -1).join('/').toLowerCase();
}

/** Warns of an exclusion that has no effect, because no repository of its owner is included. */
function warnOfUseless(
  pattern: RepositoryPattern,
  texts: readonly string[],
  place: YamlNode,
  { faults }: BoardReading,
): void {
  const owners = texts.filter((text) => !text.startsWith('!')).map(ownerOf);
  const own = ownerOf(pattern.text);
  if (owners.some((owner) => owner === own || owner.endsWith(`/${own}`) || own.endsWith(`/${owner}`))) return;
  const suggestion = nearest(own, owners);
  const message = `!${short(pattern.text)} excludes nothing: no repository of ${own} is included`;
  faults.push(newFault(place, message, { severity: 'warning', expected: 'an owner of included ones', suggestion }));
}
