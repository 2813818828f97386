import { historyStream } from '../../hosts/interface/streams.ts';
import type { StreamState } from './stream-store.ts';

/** The scan that is due to make the stored stream complete. */
export type DueScan =
  /** Nothing: the stored data is the provider's. */
  | 'nothing'
  /** Nothing to read, but the stream has to be marked as complete. */
  | 'mark_complete'
  /** Continue the running scan. */
  | 'resume'
  /** Read the changes since the last scan. */
  | 'changes'
  /** Read everything, so that deletions are noticed. */
  | 'everything';

const dayMs = 86_400_000;
/**
 * In ms. Providers report times in whole seconds: a change this shortly before a scan began may have happened after it.
 */
const sameMomentMs = 10_000;

/**
 * The interval, in ms, at which installed repositories are read whole: providers do not report new reactions and votes
 * as changes.
 */
const reactionsKnownForMs = 7 * dayMs;

/** The time, in ms, after which an unreadable item is tried again, because the host may have fixed it. */
const skippedForMs = 7 * dayMs;

/**
 * The interval, in ms, at which streams without a total in listings are read whole, when clients request them: nothing
 * else shows deletions there.
 */
const deletionsUnnoticedForMs = 30 * dayMs;

/**
 * The interval, in ms, at which a withheld list is requested again: the service may have got a credential that shows
 * it.
 */
const withheldForMs = dayMs;

/** Returns the scan that is due by a stream's state and by the last listing's report of it. */
export function dueScan(stream: StreamState, { now, freshForMs, isInstalled }: Circumstances): DueScan {
  if (stream.scanStartedAt !== null && (isHistory(stream) || stream.scanIsDeep || !isInstalled)) return 'resume';
  if (stream.withheldAt !== null) return isPast(stream.withheldAt, withheldForMs, now) ? 'everything' : 'nothing';
  if (stream.completedAt === null || stream.knownUntil === null) {
    return stream.providerTotal === 0 && stream.storedTotal === 0 ? 'mark_complete' : 'everything';
  }
  if (!isHistory(stream) && stream.skippedTotal > 0 && isPast(stream.fullScanAt, skippedForMs, now))
    return 'everything';
  const isWholeDue = isHistory(stream) ? isWholeScanWanted(stream) : isWholeScanDue(stream, now, isInstalled);
  if (isWholeDue) return 'everything';
  // Reading the history counts its commits.
  if (stream.isUncounted) return 'changes';
  if (stream.invalidatedAt !== null && stream.invalidatedAt >= stream.knownUntil) return 'changes';
  if (stream.providerRevision !== null) return stream.providerRevision === stream.cursor ? 'nothing' : 'changes';
  const readUntil = stream.knownUntil.getTime() - sameMomentMs;
  if (stream.providerChangedAt !== null && stream.providerChangedAt.getTime() >= readUntil) return 'changes';
  const isTipUnknown = stream.providerTotal === null && stream.providerChangedAt === null;
  if (isTipUnknown && !isHistory(stream) && isPast(stream.fullScanAt, deletionsUnnoticedForMs, now))
    return 'everything';
  if (isTipUnknown) return stream.knownUntil.getTime() + freshForMs <= now.getTime() ? 'changes' : 'nothing';
  // Without a time of the last change, only a higher total shows that there are new items.
  const known = stream.storedTotal + stream.skippedTotal;
  const isMore = stream.providerChangedAt === null && (stream.providerTotal ?? 0) > known;
  if (isMore) return 'changes';
  const isCountOff = stream.providerTotal !== null && stream.providerTotal !== known;
  // An item was deleted, which no list of changes shows. Once a day is enough where the totals never agree.
  if (isCountOff && isPast(stream.fullScanAt, dayMs, now)) return 'everything';
  return 'nothing';
}

interface Circumstances {
  now: Date;
  /** The time, in ms, for which fetched data counts as current. */
  freshForMs: number;
  isInstalled: boolean;
}

/** Returns whether stored data was found to differ from the provider's since the last full scan. */
export function isWholeScanWanted({ fullScanWantedAt, fullScanAt }: StreamState): boolean {
  return fullScanWantedAt !== null && fullScanWantedAt.getTime() >= (fullScanAt?.getTime() ?? 0);
}

function isWholeScanDue(stream: StreamState, now: Date, isInstalled: boolean): boolean {
  const scannedAt = stream.fullScanAt?.getTime() ?? 0;
  if (isWholeScanWanted(stream)) return true;
  return isInstalled && (!stream.isDeep || scannedAt + reactionsKnownForMs <= now.getTime());
}

function isPast(time: Date | null, ageMs: number, now: Date): boolean {
  return (time?.getTime() ?? 0) + ageMs <= now.getTime();
}

export function isHistory(stream: StreamState): boolean {
  return stream.name === historyStream.name;
}
