import { type Fault, newFault } from '../conditions/fault.ts';
import { short } from './read-node.ts';
import type { YamlNode } from './yaml-tree.ts';

const imagePath = /^(?!\/)(?!.*(?:^|\/)\.{1,2}(?:\/|$))[^\s<>:"|?*\\]+\.(?:png|jpe?g|gif|svg|webp|avif|ico)$/iu;

/**
 * Reads the icon of an achievement.
 * @returns the URL or the path of an image; empty for any other text, with which the achievement has no icon.
 */
export function readIcon(text: string, node: YamlNode, faults: Fault[]): string {
  const path = text.replace(/^\.\//, '');
  if (text === '' || isHttpUrl(text)) return text;
  if (imagePath.test(path)) return path;
  if (/^https?:\/\/\S+\s/i.test(text)) {
    const suggestion = text.trim().replaceAll(/\s/g, '%20');
    const details = { severity: 'warning', expected: '%20 in place of a space', suggestion } as const;
    faults.push(newFault(node, `the address ${short(text)} has a space, and the achievement has no icon`, details));
    return '';
  }
  faults.push(
    newFault(node, `${short(text)} is not an image, and the achievement has none`, {
      severity: 'warning',
      expected: 'an address like https://..., or a path like .plaudit/hero.png',
    }),
  );
  return '';
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s<>"]+$/i.test(text) && URL.canParse(text) && new URL(text).username === '';
}
