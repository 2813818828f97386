/** An image in the sizes that cards need, each small enough to be embedded in them. */
export interface Encoded {
  small: Buffer;
  large: Buffer;
}

const limits = { pixels: 16_000_000, timeoutS: 5 };
/** The side in pixels, and the target size in bytes. */
const sizes = { small: { side: 64, bytes: 1240 }, large: { side: 112, bytes: 4500 } };
const qualities = [72, 58, 44, 30];

/**
 * Decodes an image of unknown origin within limits and encodes it again; of several frames only the first.
 * @throws Error when the image is not PNG, JPEG, WebP or GIF, is damaged, or is too large once it is unpacked.
 */
export async function encodeImage(bytes: Buffer): Promise<Encoded> {
  if (!isKnownFormat(bytes)) throw new Error('not an image that is shown');
  const [small, large] = await Promise.all([encodeAs(bytes, sizes.small), encodeAs(bytes, sizes.large)]);
  return { small, large };
}

/** Recognizes PNG, JPEG, WebP and GIF by the first bytes, not by a name or a media type. */
export function isKnownFormat(bytes: Buffer): boolean {
  const start = bytes.subarray(0, 12).toString('latin1');
  return (
    start.startsWith('\x89PNG\r\n\x1a\n') ||
    start.startsWith('\xff\xd8\xff') ||
    start.startsWith('GIF8') ||
    (start.startsWith('RIFF') && start.slice(8) === 'WEBP')
  );
}

async function encodeAs(bytes: Buffer, size: { side: number; bytes: number }): Promise<Buffer> {
  // Imported only where images are encoded, so that a platform without `sharp` can do everything else.
  const { default: sharp } = await import('sharp');
  const decoded = sharp(bytes, { limitInputPixels: limits.pixels, pages: 1, failOn: 'error' })
    .timeout({ seconds: limits.timeoutS })
    .rotate()
    .resize(size.side, size.side, { fit: 'cover' })
    .toColourspace('srgb');
  const { data, info } = await decoded.raw().toBuffer({ resolveWithObject: true });
  const pixels = { raw: { width: info.width, height: info.height, channels: info.channels } };
  // Images with few colours are smaller as PNG, and only PNG keeps transparency.
  const png = await sharp(data, pixels).png({ palette: true, compressionLevel: 9 }).toBuffer();
  const isSeeThrough = info.channels === 4 && !(await sharp(data, pixels).stats()).isOpaque;
  if (png.length <= size.bytes || (isSeeThrough && png.length <= 3 * size.bytes)) return png;
  const flat = sharp(data, pixels).flatten({ background: '#ffffff' });
  let jpeg = png;
  for (const quality of qualities) {
    jpeg = await flat.clone().jpeg({ quality, mozjpeg: true }).toBuffer();
    if (jpeg.length <= size.bytes) break;
  }
  return jpeg;
}

/** Returns an image as a data URL. */
export function toDataAddress(image: Buffer): string {
  const type = image[0] === 0xff ? 'image/jpeg' : 'image/png';
  return `data:${type};base64,${image.toString('base64')}`;
}

/** Returns the bytes of an image from its data URL. */
export function fromDataAddress(address: string): Buffer {
  return Buffer.from(address.slice(address.indexOf(',') + 1), 'base64');
}
