/** A colour as `#rrggbb`, or as `#rrggbbaa` when it is translucent. */
export type Colour = `#${string}`;

/** The pattern of a colour in a URL: hexadecimal digits, with or without `#`. */
export const colourPattern = '^#?([0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$';
const form = new RegExp(colourPattern);

const white: Colour = '#ffffff';
const black: Colour = '#1f2328';

/** The colours of a theme, from which all other colours of a card are made. */
export interface Palette {
  background: Colour;
  border: Colour;
  text: Colour;
  muted: Colour;
  accent: Colour;
}

/** The traits of a theme beside its colours. */
export interface ThemeStyle {
  /** The ground of the card: one colour, a fall of light, or a texture. */
  surface: 'plain' | 'gradient' | 'dots' | 'grid' | 'lines';
  /** The line of rings: with round or straight ends, or in segments. */
  ring: 'round' | 'straight' | 'segments';
  /** The width of the lines of rings and borders; 1 is the usual one. */
  weight: number;
}

const light: Palette = {
  background: '#ffffff',
  border: '#d1d9e0',
  text: '#1f2328',
  muted: '#59636e',
  accent: '#0969da',
};
const dark: Palette = {
  background: '#0d1117',
  border: '#3d444d',
  text: '#f0f6fc',
  muted: '#9198a1',
  accent: '#4493f8',
};

/** Every theme by its name, except `auto`, which is light or dark like the reader's screen, in one file. */
export const palettes: Readonly<Record<string, Palette>> = {
  light,
  dark,
  dimmed: palette('#212830', '#3d444d', '#d1d7e0', '#9198a1', '#478be6'),
  contrast: palette('#000000', '#b7bdc8', '#ffffff', '#d6dae0', '#71b7ff'),
  paper: palette('#faf7f0', '#ded6c4', '#2b2620', '#6b6154', '#a3521a'),
  forest: palette('#f3f8f2', '#cfdfcc', '#17301c', '#4b6350', '#1a7f37'),
  ocean: palette('#0b1b2b', '#23405c', '#e3f0fb', '#8fb0cd', '#38bdf8'),
  midnight: palette('#0f1020', '#2e3054', '#ecebff', '#a09fc9', '#8b7cf6'),
  rose: palette('#fff7f8', '#f2d3d9', '#3b1420', '#7d4a58', '#c2255c'),
  sunset: palette('#1f1418', '#4a2f33', '#ffeee6', '#cfa698', '#fb8b5a'),
  nord: palette('#2e3440', '#4c566a', '#eceff4', '#d8dee9', '#88c0d0'),
  dracula: palette('#282a36', '#44475a', '#f8f8f2', '#b3b9d4', '#bd93f9'),
  'solarized-light': palette('#fdf6e3', '#eee8d5', '#073642', '#586e75', '#1f78b8'),
  'solarized-dark': palette('#002b36', '#586e75', '#eee8d5', '#93a1a1', '#2aa198'),
  'gruvbox-light': palette('#fbf1c7', '#d5c4a1', '#282828', '#665c54', '#af3a03'),
  'gruvbox-dark': palette('#282828', '#504945', '#ebdbb2', '#bdae93', '#fabd2f'),
  'tokyo-night': palette('#1a1b26', '#3b4261', '#c0caf5', '#a9b1d6', '#7aa2f7'),
  latte: palette('#eff1f5', '#ccd0da', '#4c4f69', '#5c5f77', '#8839ef'),
  mocha: palette('#1e1e2e', '#45475a', '#cdd6f4', '#a6adc8', '#cba6f7'),
  'one-dark': palette('#282c34', '#3e4451', '#d7dae0', '#abb2bf', '#61afef'),
  monokai: palette('#272822', '#49483e', '#f8f8f2', '#b5b1a0', '#a6e22e'),
  'rose-pine': palette('#191724', '#403d52', '#e0def4', '#908caa', '#c4a7e7'),
  cobalt: palette('#193549', '#234e6d', '#ffffff', '#aaaaaa', '#ffc600'),
  synthwave: palette('#262335', '#495495', '#ffffff', '#b6b1b1', '#ff7edb'),
  radical: palette('#141321', '#34324f', '#a9fef7', '#a3adcf', '#fe428e'),
};

/** Names that other services give these palettes, so that addresses can be carried over. */
export const themeAliases: Readonly<Record<string, string>> = {
  github_dark: 'dark',
  github_dark_dimmed: 'dimmed',
  tokyonight: 'tokyo-night',
  gruvbox: 'gruvbox-dark',
  gruvbox_light: 'gruvbox-light',
  solarized_light: 'solarized-light',
  solarized_dark: 'solarized-dark',
  catppuccin: 'mocha',
  catppuccin_mocha: 'mocha',
  catppuccin_latte: 'latte',
  onedark: 'one-dark',
  rose_pine: 'rose-pine',
  cobalt2: 'cobalt',
};

const usual: ThemeStyle = { surface: 'plain', ring: 'round', weight: 1 };

/** The styles of themes that differ from the usual one. */
const styles: Readonly<Record<string, ThemeStyle>> = {
  dimmed: { surface: 'plain', ring: 'round', weight: 0.75 },
  contrast: { surface: 'plain', ring: 'straight', weight: 1.5 },
  paper: { surface: 'lines', ring: 'straight', weight: 0.6 },
  forest: { surface: 'dots', ring: 'round', weight: 1.25 },
  ocean: { surface: 'gradient', ring: 'round', weight: 1 },
  midnight: { surface: 'dots', ring: 'segments', weight: 0.75 },
  rose: { surface: 'gradient', ring: 'round', weight: 0.6 },
  sunset: { surface: 'gradient', ring: 'straight', weight: 1.25 },
  nord: { surface: 'plain', ring: 'straight', weight: 0.6 },
  dracula: { surface: 'plain', ring: 'segments', weight: 1.25 },
  'solarized-light': { surface: 'grid', ring: 'straight', weight: 0.75 },
  'solarized-dark': { surface: 'grid', ring: 'straight', weight: 0.75 },
  'gruvbox-light': { surface: 'lines', ring: 'segments', weight: 1.5 },
  'gruvbox-dark': { surface: 'lines', ring: 'segments', weight: 1.5 },
  'tokyo-night': { surface: 'grid', ring: 'segments', weight: 1 },
  latte: { surface: 'dots', ring: 'round', weight: 0.75 },
  mocha: { surface: 'gradient', ring: 'segments', weight: 0.75 },
  'one-dark': { surface: 'plain', ring: 'round', weight: 1.25 },
  monokai: { surface: 'plain', ring: 'segments', weight: 0.75 },
  'rose-pine': { surface: 'dots', ring: 'round', weight: 1 },
  cobalt: { surface: 'lines', ring: 'straight', weight: 1 },
  synthwave: { surface: 'grid', ring: 'segments', weight: 1.25 },
  radical: { surface: 'gradient', ring: 'straight', weight: 0.75 },
};

export const themeNames: readonly string[] = ['auto', ...Object.keys(palettes)];

function palette(background: Colour, border: Colour, text: Colour, muted: Colour, accent: Colour): Palette {
  return { background, border, text, muted, accent };
}

/** The palettes of a theme: one, or one for each kind of screen. */
export interface Palettes {
  light: Palette;
  dark?: Palette;
  style: ThemeStyle;
}
const unchanged = new Map<string, Palettes>([
  ['auto', { light, dark, style: usual }],
  ...Object.entries(palettes).map(([name, only]): [string, Palettes] => [
    name,
    { light: only, style: styles[name] ?? usual },
  ]),
]);

/**
 * Returns the palettes of a theme.
 * @param changed colours that replace those of every palette of the theme.
 */
export function findPalettes(theme: string, changed: Partial<Palette> = {}): Palettes {
  const found = unchanged.get(themeAliases[theme] ?? theme) ?? { light, dark, style: usual };
  if (Object.keys(changed).length === 0) return found;
  return {
    light: { ...found.light, ...changed },
    style: found.style,
    ...(found.dark && { dark: { ...found.dark, ...changed } }),
  };
}

/** Returns the steps of the accent over the background, from none to the full accent. */
export function shades({ background, accent, text }: Palette): Colour[] {
  return [mix(background, text, 0.09), ...[0.32, 0.54, 0.77, 1].map((share) => mix(background, accent, share))];
}

/** Returns the colour beneath initials and progress: it differs from the background, and text on it is readable. */
export function toTrackColour({ background, text }: Palette): Colour {
  return mix(background, text, 0.1);
}

/** Returns the colour of the texture, and of the end of a gradient: it is faint, because text is on it. */
export function toTextureColour({ background, accent }: Palette): Colour {
  return mix(background, accent, 0.08);
}

/** Reads three, four, six or eight hexadecimal digits; undefined for other texts. */
export function readColour(text: string): Colour | undefined {
  const digits = form.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const long = digits.length <= 4 ? digits.replace(/./g, '$&$&') : digits;
  return `#${long.toLowerCase()}`;
}

/** Mixes two colours: `share` 0 gives the first, 1 the second. */
function mix(first: Colour, second: Colour, share: number): Colour {
  const [from, to] = [channels(first), channels(second)];
  const mixed = from.map((value, index) => Math.round(value + ((to[index] ?? 0) - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** Returns the contrast ratio of two colours, 1 to 21 (WCAG 2.2). */
export function contrast(first: Colour, second: Colour): number {
  const [dark = 0, light = 0] = [luminance(first), luminance(second)].toSorted((one, other) => one - other);
  return (light + 0.05) / (dark + 0.05);
}

/** Returns white, or black where black is easier to read. */
export function readableOn(ground: Colour): Colour {
  const ofWhite = contrast(white, ground);
  return ofWhite >= 4.5 || ofWhite > contrast(black, ground) ? white : black;
}

function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(colour: Colour): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16));
}
