import type { UnreportedKind } from '../../../hosts/interface/provider.ts';
import { type ContributionDetails, contributionKinds, type Detail } from '../../../model/contribution.ts';
import { nouns } from '../file/nouns.ts';
import type { RequiredData } from '../file/required-data.ts';
import type { Kind } from '../kinds.ts';
import type { ReadState } from './read-state-store.ts';

/** Data that a condition needs and that is not stored, so that its result is not known. */
export interface Unread {
  /** The data and why it is not stored, in words for people, without a full stop. */
  reason: string;
  /** True when it can be fetched; false when the host does not report it to this service. */
  canBeRead: boolean;
}

/** The circumstances under which data was read. */
export interface Reading {
  /** The data that the host does not report. */
  unreported: readonly UnreportedKind[];
  /** True when everything that is required has just been fetched, as far as the host shows it. */
  wasRead: boolean;
}

/** Returns the parts of the required data that are not stored, each reason once. */
export function findUnread(state: ReadState, required: readonly RequiredData[], reading: Reading): Unread[] {
  if (state.streams.length === 0 && required.length > 0)
    return [{ reason: 'the repository has not been collected', canBeRead: true }];
  const unread = required.flatMap((data) => {
    const ofItems = unreadItems(state, data.kind, reading);
    if (ofItems !== undefined) return [ofItems];
    if (data.onDemand !== undefined) return unreadOnDemand(state, data.onDemand, reading);
    return data.detail === undefined
      ? skippedItems(state, data.kind)
      : unreadDetail(state, data.kind, data.detail, reading);
  });
  return [...new Map(unread.map((part) => [part.reason, part])).values()];
}

function counted(count: number, kind: Kind): string {
  return `${count} ${nouns[kind][count === 1 ? 'one' : 'many']}`;
}

/** Returns why the contributions of a kind are not completely stored; undefined when they are. */
function unreadItems(
  { streams, isInstalled }: ReadState,
  kind: Kind,
  { unreported, wasRead }: Reading,
): Unread | undefined {
  const noun = nouns[kind].many;
  const stream = streams.find(({ covers }) => covers.includes(kind));
  if (stream === undefined) {
    const known = unreported.find(
      (part) => part.kind === kind && part.details === undefined && part.isPartial === undefined,
    );
    if (known !== undefined) return { reason: known.why, canBeRead: false };
    const isOfInstalled = !contributionKinds.some((known) => known === kind);
    if (isOfInstalled && !isInstalled && !wasRead)
      return { reason: `${noun} are collected only for installed repositories`, canBeRead: true };
    return { reason: `no credential of this service shows ${noun}`, canBeRead: false };
  }
  if (stream.isWithheld)
    return { reason: `the host does not show ${noun} to the credential of this service`, canBeRead: false };
  if (stream.isComplete) return undefined;
  if (stream.failure !== null) return { reason: `${noun} could not be read: ${stream.failure}`, canBeRead: true };
  return { reason: `${noun} are not collected ${stream.isBeingRead ? 'to the end' : 'yet'}`, canBeRead: true };
}

function skippedItems({ skipped }: ReadState, kind: Kind): Unread[] {
  const count = skipped.get(kind) ?? 0;
  return count === 0 ? [] : [{ reason: `${counted(count, kind)} could not be read`, canBeRead: false }];
}

function unreadDetail(
  { withoutDetails }: ReadState,
  kind: Kind,
  detail: keyof ContributionDetails,
  { unreported, wasRead }: Reading,
): Unread[] {
  const known = unreported.find(
    (part) => part.kind === kind && part.details?.includes(detail) && part.isPartial === undefined,
  );
  if (known !== undefined) return [{ reason: known.why, canBeRead: false }];
  const count = withoutDetails.get(kind) ?? 0;
  if (count === 0) return [];
  return [{ reason: `the details of ${counted(count, kind)}, such as labels and reactions`, canBeRead: !wasRead }];
}

const onDemandNames: Readonly<Record<Detail, (count: number) => string>> = {
  commit_lines: (count) => `the changed lines of ${counted(count, 'commit')}`,
  commit_files: (count) => `the changed files of ${counted(count, 'commit')}`,
  pull_request_files: (count) => `the changed files of ${counted(count, 'pull_request')}`,
};

function unreadOnDemand({ needs, onDemand }: ReadState, detail: Detail, { wasRead }: Reading): Unread[] {
  const { pending, absent } = onDemand[detail];
  const formatName = onDemandNames[detail];
  if (pending > 0 && (wasRead || needs.includes(detail))) return [{ reason: formatName(pending), canBeRead: true }];
  if (absent === 0) return [];
  if (!wasRead && !needs.includes(detail)) return [{ reason: formatName(absent), canBeRead: true }];
  return [{ reason: `the host does not show ${formatName(absent)}`, canBeRead: false }];
}
