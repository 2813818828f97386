/** The texts of the pages behind numbers, of awards and of boards. */
export interface DetailWords {
  evidence: string;
  window: string;
  lifetime: string;
  lastMonth: string;
  thisMonth: string;
  thisYear: string;
  /** The part of a number of which no items are listed. */
  remainder: string;
  /** The link to items before those that a page shows. */
  older: string;
  credential: string;
  boards: string;
  /** The title of a board's table. */
  ranking: string;
  /** The column with the places of people. */
  rank: string;
  person: string;
  points: string;
  /** The column with the ranks that a person gained. */
  change: string;
  newcomer: string;
  returning: string;
  /** The mark of people who reach the threshold of a board. */
  eligible: string;
  /** The part of a person's points that grants give; with `{n}`. */
  granted: string;
  teams: string;
  everyone: string;
  seasons: string;
  present: string;
  rules: string;
  you: string;
  /** The form for a window that no link names, its first and last day. */
  otherWindow: string;
  from: string;
  until: string;
  timeZone: string;
  /** The number of the window before; with `{n}`. */
  before: string;
  /** The title of the achievements that the files of an owner define. */
  toEarn: string;
  /** The title of the people whose first contribution is in the window, how they are found, and the text without any. */
  newcomers: string;
  newcomersMean: string;
  noNewcomers: string;
  /** The link to the next people of a list. */
  more: string;
  /** The reasons of a remainder; each with `{n}`. `ofSeveral` is about points that single contributions do not give. */
  hostMore: string;
  inPrivate: string;
  ofErased: string;
  ofSeveral: string;
  /** The points of a board that differ from the sum of their items. */
  changedSince: string;
  /** The title of boards to which a repository belongs. */
  countedOn: string;
  /** The link to the signed table of a season. */
  statement: string;
  /** The state of a repository of a board that no account installed. */
  notInstalled: string;
  /** A note about an imported season. */
  noRule: string;
  /** How a board ranks people with equal points: with a shared rank, or in the order of reaching them. */
  sharedTies: string;
  earliestTies: string;
}
