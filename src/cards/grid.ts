/** How things of one size stand in rows. Pixels, from the side that lines begin at. */
export interface Grid {
  columns: number;
  /** From where one begins to where the next one does. */
  step: number;
  /** What each has for itself. */
  room: number;
  /** Where the one of this index stands. */
  placeOf: (index: number) => { at: number; row: number };
  rowsOf: (count: number) => number;
}

/** Spreads columns over the room that there is. */
export function gridOf(place: {
  at: number;
  room: number;
  gap: number;
  /** How many somebody asked for; as many as have room of that. */
  columns: number | undefined;
  /** How wide one is to be, and how wide it has to be. */
  usual: number;
  least: number;
  /** So many at most, unless more are asked for. */
  most?: number;
}): Grid {
  const { at, room, gap, usual, least, most = Number.POSITIVE_INFINITY } = place;
  const thatFit = (width: number): number => Math.max(1, Math.floor((room + gap) / (width + gap)));
  const columns = Math.min(place.columns ?? Math.min(most, thatFit(usual)), thatFit(least));
  const step = (room + gap) / columns;
  return {
    columns,
    step,
    room: step - gap,
    placeOf: (index) => ({ at: at + (index % columns) * step, row: Math.floor(index / columns) }),
    rowsOf: (count) => Math.ceil(count / columns),
  };
}
