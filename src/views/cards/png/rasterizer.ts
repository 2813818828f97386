import { availableParallelism } from 'node:os';
import PQueue from 'p-queue';
import { AppError } from '../../../model/errors.ts';
import type { Drawing } from '../drawing/frame.ts';

/**
 * The number of images drawn at once; each has a thread to itself, away from the event loop. Half of the cores at most, so
 * that the event loop keeps one, and not all threads of the process, because files are read by the same ones.
 */
const usualRunning = Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2)));
const limits = {
  waiting: 64,
  pixels: 16_000_000,
  timeoutS: 10,
};
const retryAfterMs = 5000;
/** The highest level takes three times as long, to save two to eight percent of the bytes. */
const compressionLevel = 6;
/** The density, in pixels per inch, at which a pixel of a drawing is a pixel of an image. */
const densityOfOne = 72;

/** Turns drawings into PNG images, a few at a time. */
export class Rasterizer {
  readonly #now: () => Date;
  readonly #queue: PQueue;

  constructor(now: () => Date, running = usualRunning) {
    this.#now = now;
    this.#queue = new PQueue({ concurrency: running });
  }

  /**
   * @param scale pixels of the image for each pixel of the drawing; reduced where the image would be too large.
   * @throws AppError `rate_limited` when too many drawings are waiting.
   */
  async toPng({ svg, widthPx, heightPx }: Drawing, scale: number): Promise<Buffer> {
    if (this.#queue.size >= limits.waiting) {
      throw new AppError('rate_limited', 'Too many images are being drawn. Retry soon, or use format=svg.', {
        retryAt: new Date(this.#now().getTime() + retryAfterMs),
      });
    }
    return this.#queue.add(async () => {
      const fitting = Math.min(scale, Math.sqrt(limits.pixels / (widthPx * heightPx)));
      // Imported only where images are drawn, so that on a platform without `sharp` only requests for them fail.
      const { default: sharp } = await import('sharp');
      return sharp(Buffer.from(svg), { density: densityOfOne * fitting, limitInputPixels: 2 * limits.pixels })
        .timeout({ seconds: limits.timeoutS })
        .png({ compressionLevel, palette: false })
        .toBuffer();
    });
  }
}
