import type { Connection } from '../../database/connections/connection.ts';
import type { CardImages } from '../../http/pipeline/images.ts';
import { createCardImages } from './card-images.ts';
import { createImageClient } from './images/client.ts';
import { ImageSource } from './images/image-source.ts';
import { prepareFonts } from './png/fonts.ts';
import { Rasterizer } from './png/rasterizer.ts';

/** Opens everything that drawing cards needs. */
export async function openCardImages(options: {
  connection: Connection;
  dataDir: string;
  /** URLs that the operator has configured; their hosts may be private. */
  ownAddresses: readonly string[];
  /** Further hosts that may be private. */
  allowedHosts: ReadonlySet<string>;
  now: () => Date;
  onFailure: (error: unknown) => void;
}): Promise<CardImages & { close: () => Promise<void> }> {
  await prepareFonts(options.dataDir);
  const ownHosts = options.ownAddresses.map((address) => new URL(address).host);
  const client = createImageClient(new Set([...ownHosts, ...options.allowedHosts]));
  const images = new ImageSource({ ...options, client });
  const cardImages = createCardImages({ images, rasterizer: new Rasterizer(options.now) });
  return { ...cardImages, close: () => images.close() };
}
