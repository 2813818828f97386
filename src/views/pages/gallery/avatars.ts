/**
 * Drawn avatars of invented people. The authors of this project drew them and put them into the public domain (CC0).
 */

const grounds = ['#f4c7ab', '#b8d8be', '#aecbfa', '#f6d98b', '#d7bde2', '#a9dce3', '#f5b7b1', '#c9d6a3', '#e3c9a8'];
const clothes = ['#2f6f8f', '#8a3b5c', '#3e6b48', '#54468a', '#a3562b', '#2d4a6d', '#7a5c1e', '#4b4f57', '#8c2f2f'];
const skins = ['#f2cfae', '#c98e62', '#8d5a3a', '#e3b088', '#6b4226', '#f6dcc4'];
const hairs = ['#2b211c', '#6b3f22', '#c98a2b', '#1d1d24', '#8a8f98', '#a8452a', '#4a2c1a'];

/** Hair on a head with its middle at 32, 27 and a radius of 13. */
const cuts = [
  'M18 27c0-11 6-16 14-16s14 5 14 16c-2-6-5-9-8-10-5 3-14 3-17 1-2 3-3 6-3 9z',
  'M17 44c-3-22 3-33 15-33s18 11 15 33c-2 1-4 1-5 0 3-9 2-17-1-24-6 4-14 4-19 1-3 7-3 15-1 23-1 1-3 1-4 0z',
  'M19 24c-3-8 4-14 13-14s17 5 13 14c-2-4-5-5-9-5-6 0-10 1-17 5z',
  'M18 28c-5-4-3-9 0-10 0-6 6-9 10-7 4-4 11-2 12 2 6 0 8 6 6 10 1 2 0 4-1 5-1-5-3-8-6-9-6 2-12 2-16 0-3 2-4 5-5 9z',
  'M32 5a5 5 0 0 1 5 6c6 1 9 7 9 15-2-5-4-7-7-8-5 2-10 2-14 0-3 1-5 3-7 8 0-8 3-14 9-15a5 5 0 0 1 5-6z',
];
const glasses =
  '<g fill="none" stroke="#22262b" stroke-width="1.4"><circle cx="27" cy="28" r="4"/><circle cx="37" cy="28" r="4"/><path d="M31 28h2"/></g>';

/** Returns the address of a drawn avatar, which leads nowhere. */
export function avatarAddress(index: number): string {
  return `avatar:${index}`;
}

/** Returns a drawn avatar as SVG, another one for each index up to some thousands. */
export function drawAvatar(index: number): string {
  const of = (choices: readonly string[], step: number): string => choices[(index * step + 1) % choices.length] ?? '';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64"><rect width="64" height="64" fill="${of(grounds, 4)}"/><path fill="${of(clothes, 5)}" d="M10 64c0-14 9-20 22-20s22 6 22 20z"/><path fill="${of(skins, 1)}" d="M27 36h10v9a5 5 0 0 1-10 0z"/><circle cx="32" cy="27" r="13" fill="${of(skins, 1)}"/><path fill="${of(hairs, 3)}" d="${of(cuts, 2)}"/><g fill="#22262b"><circle cx="27.5" cy="28" r="1.4"/><circle cx="36.5" cy="28" r="1.4"/></g><path d="M28 33.5q4 3 8 0" fill="none" stroke="#22262b" stroke-width="1.4" stroke-linecap="round"/>${index % 4 === 2 ? glasses : ''}</svg>`;
}

/** Returns drawn avatars as data URLs, by their addresses. */
export function drawnAvatars(count: number): ReadonlyMap<string, string> {
  return new Map(
    Array.from({ length: count }, (_, index) => [
      avatarAddress(index),
      `data:image/svg+xml;base64,${Buffer.from(drawAvatar(index)).toString('base64')}`,
    ]),
  );
}
