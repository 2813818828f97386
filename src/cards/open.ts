import type { Connection } from '../database/connection.ts';
import type { Pictures } from '../http/pictures.ts';
import { createImageClient } from './images/client.ts';
import { ImageSource } from './images/image-source.ts';
import { createPictures } from './pictures.ts';
import { prepareFonts } from './png/fonts.ts';
import { Rasterizer } from './png/rasterizer.ts';

/** Opens all that pictures need. */
export async function openPictures(options: {
  connection: Connection;
  dataDir: string;
  /** Addresses that the operator has configured: their hosts may be private. */
  ownAddresses: readonly string[];
  /** Hosts that may be private too. */
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
