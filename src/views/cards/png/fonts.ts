import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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

/** The names by which cards and browsers request the font of the system. */
const generic = ['sans-serif', 'sans', 'system-ui'];

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
