import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import pixelmatch from 'pixelmatch';
import sharp, { type OutputInfo } from 'sharp';

/** Golden files of cards. `UPDATE_GOLDEN=1` writes them again: look at them before you commit them. */

const folder = new URL('golden/', import.meta.url);
const isUpdating = process.env['UPDATE_GOLDEN'] === '1';
/**
 * The share of pixels of an image that may differ, because new releases of libraries draw the edges of letters
 * differently.
 */
const tolerance = 0.004;

export async function assertGoldenText(name: string, text: string): Promise<void> {
  const file = await findFile(name);
  if (isUpdating) await writeFile(file, text);
  assert.ok(existsSync(file), `${name} is new: UPDATE_GOLDEN=1 writes it`);
  assert.equal(text, await readFile(file, 'utf8'), `${name} differs from its golden file`);
}

export async function assertGoldenImage(name: string, png: Buffer): Promise<void> {
  const file = await findFile(name);
  if (isUpdating)
    await writeFile(file, await sharp(png).png({ compressionLevel: 9, palette: true, colours: 128 }).toBuffer());
  assert.ok(existsSync(file), `${name} is new: UPDATE_GOLDEN=1 writes it`);
  const [drawn, golden] = await Promise.all([readPixels(png), readPixels(await readFile(file))]);
  assert.deepEqual([drawn.info.width, drawn.info.height], [golden.info.width, golden.info.height], name);
  const { width, height } = drawn.info;
  const differing = pixelmatch(drawn.data, golden.data, undefined, width, height, { threshold: 0.2 });
  assert.ok(differing <= width * height * tolerance, `${name}: ${differing} of ${width * height} pixels differ`);
}

async function readPixels(png: Buffer): Promise<{ data: Buffer; info: OutputInfo }> {
  return sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
}

async function findFile(name: string): Promise<URL> {
  await mkdir(folder, { recursive: true });
  return new URL(name, folder);
}
