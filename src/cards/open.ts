import type { Connection } from '../database/connection.ts';
import type { Pictures } from '../http/pictures.ts';
import { createImageClient } from './images/client.ts';
import { ImageSource } from './images/image-source.ts';
import { createPictures } from './pictures.ts';
import { prepareFonts } from './png/fonts.ts';
import { Rasterizer } from './png/rasterizer.ts';

/** Opens everything that drawing cards needs. */
export async function openPictures(options: {
  connection: Connection;
  dataDir: string;
  /** URLs that the operator has configured; their hosts may be private. */
  ownAddresses: readonly string[];
  /** Further hosts that may be private. */
  allowedHosts: ReadonlySet<string>;
  now: () => Date;
  onFailure: (error: unknown) => void;
}): Promise<Pictures & { close: () => Promise<void> }> {
  await prepareFonts(options.dataDir);
  const ownHosts = options.ownAddresses.map((address) => new URL(address).host);
  const client = createImageClient(new Set([...ownHosts, ...options.allowedHosts]));
  const images = new ImageSource({ ...options, client });
  const pictures = createPictures({ images, rasterizer: new Rasterizer(options.now) });
  return { ...pictures, close: () => images.close() };
}
