import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import PQueue from 'p-queue';
import { AppError } from '../../../model/errors.ts';
import type { Drawing } from './frame.ts';

/**
 * The folder of the bundled fonts, all under the SIL Open Font License 1.1: the measured one, and fonts for scripts that it
 * lacks.
 */
export const bundledFonts = fileURLToPath(new URL('../../../../fonts', import.meta.url));
/**
 * The folders in which systems keep their fonts, for scripts that are not bundled, such as Chinese, Japanese and
 * Korean.
 */
const installed = ['/usr/share/fonts', '/usr/local/share/fonts', '/Library/Fonts', '/System/Library/Fonts'];

/** The names by which cards and browsers request the font of the system. */
const generic = ['sans-serif', 'sans', 'system-ui'];

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

/**
 * Configures the fonts of the library that draws text. The library reads the configuration once in a process, so this
 * is called before the first image is drawn.
 */
export async function prepareFonts(dataDir: string): Promise<void> {
  process.env['FONTCONFIG_FILE'] = await writeFontConfiguration(join(dataDir, 'fonts'), [bundledFonts, ...installed]);
}

/**
 * Writes a fontconfig configuration with only the fonts of these folders.
 * @returns its path.
 */
export async function writeFontConfiguration(directory: string, fontFolders: readonly string[]): Promise<string> {
  await mkdir(directory, { recursive: true });
  const file = join(directory, 'fonts.conf');
  await writeFile(file, configuration(join(directory, 'cache'), fontFolders));
  return file;
}

function configuration(cacheDirectory: string, fontFolders: readonly string[]): string {
  const directories = fontFolders.map((directory) => `<dir>${escape(directory)}</dir>`).join('\n');
  const families = [
    'Noto Sans',
    'Noto Sans Arabic',
    'Noto Sans Hebrew',
    'Noto Sans Devanagari',
    'Noto Sans CJK SC',
    'Noto Emoji',
  ];
  const preferred = families.map((family) => `<family>${family}</family>`).join('');
  const aliases = generic.map(
    (name) => `<alias binding="same"><family>${name}</family><prefer>${preferred}</prefer></alias>`,
  );
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
${directories}
<cachedir>${escape(cacheDirectory)}</cachedir>
${aliases.join('\n')}
</fontconfig>
`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
