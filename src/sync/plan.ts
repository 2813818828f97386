import { historyStream } from '../providers/provider.ts';
import type { StreamState } from './stream-store.ts';

/** What has to be done so that a stream is known completely. */
export type DueScan =
  /** Nothing: what is stored is what the provider has. */
  | 'nothing'
  /** Nothing to read, but the stream has to be marked as complete. */
  | 'mark_complete'
  /** Go on with the scan that is running. */
  | 'resume'
  /** Read what changed since the last scan. */
  | 'changes'
  /** Read everything, so that what is gone is noticed. */
  | 'everything';

const dayMs = 86_400_000;
/** Providers tell times in whole seconds: what changed this shortly before a scan began may have changed after it. */
const sameMomentMs = 10_000;

/** Reactions and votes leave no trace in what a provider tells to be new: of installed repositories all is read again so often. */
const reactionsKnownForMs = 7 * dayMs;

/** An item that could not be read is tried again after this time, for the host may have mended it. */
const skippedForMs = 7 * dayMs;

/** Where no listing tells how much there is, nothing tells of what was deleted: all is read again so often, if somebody looks. */
const deletionsUnnoticedForMs = 30 * dayMs;

/** A list that the host withheld is requested again so often: the service may have got a credential that shows it. */
const withheldForMs = dayMs;

/** Decides from a stream's state and from what the last listing told of it. */
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
  if (stream.hintedAt !== null && stream.hintedAt >= stream.knownUntil) return 'changes';
  if (stream.providerRevision !== null) return stream.providerRevision === stream.cursor ? 'nothing' : 'changes';
  const readUntil = stream.knownUntil.getTime() - sameMomentMs;
  if (stream.providerChangedAt !== null && stream.providerChangedAt.getTime() >= readUntil) return 'changes';
  const isTipUnknown = stream.providerTotal === null && stream.providerChangedAt === null;
  if (isTipUnknown && !isHistory(stream) && isPast(stream.fullScanAt, deletionsUnnoticedForMs, now))
    return 'everything';
  if (isTipUnknown) return stream.knownUntil.getTime() + freshForMs <= now.getTime() ? 'changes' : 'nothing';
  // Of what tells no time of its last change, more of it is all that tells of something new.
  const known = stream.storedTotal + stream.skippedTotal;
  const isMore = stream.providerChangedAt === null && (stream.providerTotal ?? 0) > known;
  if (isMore) return 'changes';
  const isCountOff = stream.providerTotal !== null && stream.providerTotal !== known;
  // Something was deleted, which no list of changes tells. Once a day is enough where the two never agree.
  if (isCountOff && isPast(stream.fullScanAt, dayMs, now)) return 'everything';
  return 'nothing';
}

export interface Circumstances {
  now: Date;
  /** How long what was asked is taken as current. */
  freshForMs: number;
  isInstalled: boolean;
}

/** Whether what is stored was found not to be what the provider has. */
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
