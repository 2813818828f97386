import sharp from 'sharp';
import { type Encoded, encodeImage } from '../../src/views/cards/images/encode.ts';
import { drawAvatar } from '../../src/views/pages/gallery/samples.ts';
import { members, organizations, programs } from './community.ts';

/** The drawn images of the sample. They are ours, and in the public domain (CC0). */

const icons = {
  'icons/seedling.png': badge(
    '#dff0d8',
    '<path d="M32 52V30" stroke="#3c7a3f" stroke-width="4" stroke-linecap="round"/><path fill="#5aa65d" d="M32 32C32 22 24 17 14 17c0 10 6 16 18 15z"/><path fill="#7cc07f" d="M32 27c0-8 7-13 17-13 0 9-6 14-17 13z"/>',
  ),
  'icons/leaf.png': badge(
    '#e6f2c9',
    '<path fill="#4c8c3a" d="M14 50c0-24 12-36 37-36 0 25-12 37-37 36z"/><path d="M14 50 42 23" stroke="#dff0d8" stroke-width="3" stroke-linecap="round"/>',
  ),
  'icons/bee.png': badge(
    '#fff0c2',
    '<ellipse cx="25" cy="24" rx="9" ry="11" fill="#cfe6f5"/><ellipse cx="39" cy="24" rx="9" ry="11" fill="#dceefa"/><ellipse cx="32" cy="37" rx="17" ry="12" fill="#f2b42c"/><path d="M26 27v21M34 25v24M42 28v18" stroke="#3a2d12" stroke-width="4"/>',
  ),
  'icons/glove.png': badge(
    '#f6dfd0',
    '<path fill="#b8643c" d="M20 30c0-4 6-4 6 0V18c0-4 6-4 6 0v-2c0-4 6-4 6 0v4c0-4 6-4 6 0v20c0 6-4 8-4 8H26s-6-6-6-18z"/><path fill="#7f4226" d="M25 46h16v8H25z"/>',
  ),
  'icons/apple.png': badge(
    '#fbe0dc',
    '<path fill="#c8372d" d="M32 24c-4-4-17-3-17 11 0 10 7 17 12 17 2 0 3-1 5-1s3 1 5 1c5 0 12-7 12-17 0-14-13-15-17-11z"/><path d="M32 24c0-5 1-8 4-11" stroke="#5b3a1e" stroke-width="3" fill="none" stroke-linecap="round"/><path fill="#5aa65d" d="M35 17c3-5 8-5 11-4-1 4-6 7-11 4z"/>',
  ),
  'icons/light.png': badge(
    '#d9ecf7',
    '<path fill="#f6d365" d="M32 20 8 12v16zM32 20l24-8v16z" opacity=".8"/><path fill="#fff" d="M26 26h12l3 26H23z"/><path fill="#c8372d" d="M25.5 33h13l.8 7H24.7zM24 46h16l.7 6H23z"/><path fill="#33475b" d="M26 15h12v11H26z"/><circle cx="32" cy="21" r="4" fill="#ffe9a3"/>',
  ),
} as const;

const marks: Readonly<Record<string, string>> = {
  'sample-garden':
    '<rect width="64" height="64" fill="#2f6b3c"/><circle cx="32" cy="28" r="8" fill="#f6d365"/><g fill="#fff"><circle cx="32" cy="14" r="7"/><circle cx="45" cy="23" r="7"/><circle cx="40" cy="39" r="7"/><circle cx="24" cy="39" r="7"/><circle cx="19" cy="23" r="7"/></g><circle cx="32" cy="28" r="8" fill="#f6d365"/><path d="M32 46v12" stroke="#9bd19f" stroke-width="4" stroke-linecap="round"/>',
  'sample-harbour':
    '<rect width="64" height="64" fill="#1f4e79"/><g fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round"><circle cx="32" cy="15" r="5"/><path d="M32 20v32M22 28h20M13 38c2 9 9 14 19 14s17-5 19-14"/></g>',
  [programs.bot.login]:
    '<rect width="64" height="64" fill="#dfe5ea"/><path d="M32 14v-6" stroke="#4b5a68" stroke-width="3"/><circle cx="32" cy="8" r="3" fill="#c98a2b"/><rect x="14" y="16" width="36" height="30" rx="8" fill="#4b5a68"/><circle cx="25" cy="30" r="4" fill="#9fe0c0"/><circle cx="39" cy="30" r="4" fill="#9fe0c0"/><rect x="20" y="50" width="24" height="14" rx="4" fill="#6c7c8b"/>',
  [programs.agent.login]:
    '<rect width="64" height="64" fill="#efe4d8"/><g stroke="#9a5b3c" stroke-width="6" stroke-linecap="round"><path d="M32 14v36M14 32h36M19 19l26 26M45 19 19 45"/></g><circle cx="32" cy="32" r="9" fill="#c87f5a"/>',
};

function badge(ground: string, drawing: string): string {
  return `<circle cx="32" cy="32" r="31" fill="${ground}"/>${drawing}`;
}

/** Returns the icons of achievements by their paths. */
export async function encodeIcons(): Promise<Map<string, Encoded>> {
  const encoded = new Map<string, Encoded>();
  for (const [path, drawing] of Object.entries(icons)) encoded.set(path, await encode(svg(drawing)));
  return encoded;
}

/** Returns the avatars of all accounts by login. */
export async function encodeAvatars(): Promise<Map<string, Encoded>> {
  const encoded = new Map<string, Encoded>();
  for (const [index, { login }] of members.entries()) encoded.set(login, await encode(drawAvatar(index)));
  for (const { login } of [...organizations, ...Object.values(programs)])
    encoded.set(login, await encode(svg(marks[login] ?? '')));
  return encoded;
}

function svg(drawing: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">${drawing}</svg>`;
}

async function encode(drawing: string): Promise<Encoded> {
  return encodeImage(await sharp(Buffer.from(drawing), { density: 288 }).png().toBuffer());
}
