import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { AppError } from '../../../model/errors.ts';
import { isKnownFormat } from '../../cards/images/encode.ts';

/** The logo of a site, in the place of the mark of the service. */
export interface Logo {
  /** The path changes with the content, so that the image may be cached for ever. */
  path: string;
  /** A PNG. */
  body: Buffer;
  /** The size at which pages show it, in pixels. */
  width: number;
  height: number;
}

const limits = { bytes: 512 * 1024, pixels: 16_000_000, timeoutS: 5 };
const shownSize = { width: 160, height: 32 };
/** The number of pixels of the image for each pixel of the page, in each direction, for screens of high density. */
const density = 3;

/**
 * Reads a file of the operator as logo. It is decoded and encoded again, so that pages send pixels alone.
 * @throws AppError `misconfigured` when it is no image, or too large.
 */
export async function readLogo(file: string): Promise<Logo> {
  try {
    const bytes = await readBounded(file);
    if (!isKnownFormat(bytes)) throw new Error('it is not PNG, JPEG, WebP or GIF');
    // Imported only where images are encoded, so that a platform without `sharp` can do everything else.
    const { default: sharp } = await import('sharp');
    const { data, info } = await sharp(bytes, { limitInputPixels: limits.pixels, pages: 1, failOn: 'error' })
      .timeout({ seconds: limits.timeoutS })
      .rotate()
      .resize(shownSize.width * density, shownSize.height * density, { fit: 'inside' })
      .png({ compressionLevel: 9 })
      .toBuffer({ resolveWithObject: true });
    const hash = createHash('sha256').update(data).digest('hex').slice(0, 12);
    const [width, height] = [info.width, info.height].map((length) => Math.max(1, Math.round(length / density)));
    return {
      path: `/pages/logo-${hash}.png`,
      body: data,
      width: width ?? shownSize.width,
      height: height ?? shownSize.height,
    };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'it cannot be read';
    throw new AppError('misconfigured', `SITE_LOGO: ${file} cannot be shown: ${reason}`, { cause });
  }
}

async function readBounded(file: string): Promise<Buffer> {
  await using handle = await open(file);
  const { size } = await handle.stat();
  if (size > limits.bytes) throw new Error(`it has ${size} bytes, more than ${limits.bytes}`);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(limits.bytes), 0, limits.bytes, 0);
  return buffer.subarray(0, bytesRead);
}
