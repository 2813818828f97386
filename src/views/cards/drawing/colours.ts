/** A colour as `#rrggbb`, or as `#rrggbbaa` when it is translucent. */
export type Colour = `#${string}`;

/** The pattern of a colour in a URL: hexadecimal digits, with or without `#`. */
export const colourPattern = '^#?([0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$';
const form = new RegExp(colourPattern);

/** Reads three, four, six or eight hexadecimal digits; undefined for other texts. */
export function readColour(text: string): Colour | undefined {
  const digits = form.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const long = digits.length <= 4 ? digits.replace(/./g, '$&$&') : digits;
  return `#${long.toLowerCase()}`;
}

/** Mixes two colours: `share` 0 gives the first, 1 the second. */
export function mix(first: Colour, second: Colour, share: number): Colour {
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

const white: Colour = '#ffffff';
const black: Colour = '#1f2328';

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
