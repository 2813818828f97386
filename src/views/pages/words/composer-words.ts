/** The texts of the composer in one language. Names of counters come from the words of cards. */
export interface ComposerWords {
  lead: string;
  card: string;
  repository: string;
  /** The label of a board’s name in its address. */
  board: string;
  look: string;
  parts: string;
  title: string;
  /** The placeholder of a title or size that the card chooses itself. */
  automatic: string;
  width: string;
  radius: string;
  border: string;
  animation: string;
  format: string;
  scale: string;
  colours: string;
  hexadecimal: string;
  accent: string;
  background: string;
  text: string;
  muted: string;
  limit: string;
  hiddenLanguages: string;
  bots: string;
  columns: string;
  asFit: string;
  layout: string;
  by: string;
  /** Draws the content alone. */
  raw: string;
  /** Explains the choice of private contributions. */
  privateDetail: string;
  since: string;
  until: string;
  timeZone: string;
  period: string;
  preview: string;
  snippets: string;
  /** With `{address}`. */
  notPublic: string;
  example: string;
  nameFirst: string;
  /** With `{format}`. */
  copy: string;
  copied: string;
  lightAndDark: string;
  calendar: string;
  streak: string;
  badge: string;
  ring: string;
  classic: string;
  compact: string;
  avatar: string;
  level: string;
  coverage: string;
  icons: string;
  trend: string;
  names: string;
  dates: string;
  rarity: string;
  podium: string;
  more: string;
  months: string;
  weekdays: string;
  legend: string;
  summary: string;
  counts: string;
  bar: string;
  shares: string;
}
