/** A grid of items of one size. Lengths are in pixels, positions are measured from the side at which lines begin. */
export interface Grid {
  columns: number;
  /** The distance between the beginnings of two neighbouring columns. */
  step: number;
  /** The width of one item. */
  itemWidth: number;
  /** Returns the position of the item with this index. */
  placeOf: (index: number) => { at: number; row: number };
  rowsOf: (count: number) => number;
}

/** Spreads columns over the available room. */
export function gridOf(place: {
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
    placeOf: (index) => ({ at: at + (index % columns) * step, row: Math.floor(index / columns) }),
    rowsOf: (count) => Math.ceil(count / columns),
  };
}
