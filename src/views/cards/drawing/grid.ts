/** A grid of items of one size. Lengths are in pixels, positions are measured from the side at which lines begin. */
export interface Grid {
  columns: number;
  /** The distance between the beginnings of two neighbouring columns. */
  step: number;
  /** The width of one item. */
  itemWidth: number;
  /** Returns the position of the item with this index. */
  toPlace: (index: number) => { at: number; row: number };
  countRows: (count: number) => number;
}

/** Spreads columns over the available room. */
export function toGrid(place: {
  at: number;
  maxWidth: number;
  gap: number;
  /** The requested number of columns, reduced to those that have room; undefined to use the available room. */
  columns: number | undefined;
  /** The preferred width of an item, and its minimum width. */
  usual: number;
  least: number;
  /** The maximum number of columns when the request has none. */
  most?: number;
}): Grid {
  const { at, maxWidth, gap, usual, least, most = Number.POSITIVE_INFINITY } = place;
  const thatFit = (width: number): number => Math.max(1, Math.floor((maxWidth + gap) / (width + gap)));
  const columns = Math.min(place.columns ?? Math.min(most, thatFit(usual)), thatFit(least));
  const step = (maxWidth + gap) / columns;
  return {
    columns,
    step,
    itemWidth: step - gap,
    toPlace: (index) => ({ at: at + (index % columns) * step, row: Math.floor(index / columns) }),
    countRows: (count) => Math.ceil(count / columns),
  };
}

/** The number of items of a list with words; the others are images alone, unless one more row of the list holds them. */
const mostInWords = 12;

/** Returns how many of `count` items are in a list with words. */
export function inWords(count: number, { columns }: Pick<Grid, 'columns'>): number {
  return count <= mostInWords + columns ? count : mostInWords;
}

/** Places images side by side, in rows of equal lengths, so that no image is alone in the last one. */
export function toWall(
  count: number,
  place: { at: number; maxWidth: number; size: number; gap: number; columns: number | undefined },
): Pick<Grid, 'toPlace'> & { heightPx: number } {
  const { at, size, gap, columns } = place;
  const grid = toGrid({ ...place, usual: size, least: size });
  const rows = grid.countRows(count);
  const perRow = columns === undefined ? Math.ceil(count / rows) : grid.columns;
  return {
    toPlace: (index) => ({ at: at + (index % perRow) * grid.step, row: Math.floor(index / perRow) }),
    heightPx: rows * (size + gap) - gap,
  };
}
