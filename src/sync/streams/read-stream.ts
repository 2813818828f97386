import { saveActors } from '../../accounts/actor-store.ts';
import type { Repository } from '../../accounts/repositories/store.ts';
import { saveContributions } from '../../contributions/items/contribution-store.ts';
import { addPendingForPullRequests } from '../../contributions/items/detail-store.ts';
import type { ReadContributions } from '../../contributions/items/read-rows-store.ts';
import { deleteSeen } from '../../contributions/items/scan-store.ts';
import { holdAccounts } from '../../contributions/items/write-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { takeSharedErasureLock } from '../../database/schema/erasure.ts';
import { type ContributionPage, requirePart } from '../../hosts/interface/provider.ts';
import type { Actor } from '../../model/account.ts';
import { AppError } from '../../model/errors.ts';
import type { SyncContext } from '../context.ts';
import { finishStream, isShort, removeRest, type Scan, toPlace, withholdStream } from './end-scan.ts';
import type { DueScan } from './plan.ts';
import { recordSkips } from './skips.ts';
import { moveBack, moveCursor, type StreamState, startScan } from './stream-store.ts';
import { isReadDeep, type Subject } from './subject.ts';

const maxRemembered = 10_000;

/**
 * The accounts that a scan has met: most of its pages mention the same few, which need not be stored again for each
 * page.
 */
export class ActorsOfScan {
  readonly #known = new Map<string, { id: string; facts: string }>();

  /** Returns the accounts that the scan has not met yet, or whose facts have changed since. */
  unsaved(actors: readonly Actor[]): Actor[] {
    return actors.filter((actor) => this.#known.get(actor.externalId)?.facts !== JSON.stringify(actor));
  }

  /** Returns our ids of the accounts on a page: of those just `saved`, and of those met before. */
  findIds(actors: readonly Actor[], saved: ReadonlyMap<string, string>): Map<string, string> {
    const ids = new Map<string, string>();
    for (const { externalId } of actors) {
      const id = saved.get(externalId) ?? this.#known.get(externalId)?.id;
      if (id !== undefined) ids.set(externalId, id);
    }
    return ids;
  }

  /** Returns our ids of the accounts that are not saved again. */
  idsOfKnown(actors: readonly Actor[]): string[] {
    return actors.flatMap(({ externalId }) => this.#known.get(externalId)?.id ?? []);
  }

  /** Removes accounts of a page that were erased since the scan met them: of those of the page, only `stored` are left. */
  removeErased(actors: readonly Actor[], stored: ReadonlySet<string>): void {
    for (const { externalId } of actors) {
      const known = this.#known.get(externalId);
      if (known !== undefined && !stored.has(known.id)) this.#known.delete(externalId);
    }
  }

  /** Remembers saved accounts. Must be called after the transaction that saved them has committed. */
  remember(actors: readonly Actor[], ids: ReadonlyMap<string, string>): void {
    if (this.#known.size > maxRemembered) this.#known.clear();
    for (const actor of actors) {
      const id = ids.get(actor.externalId);
      if (id !== undefined) this.#known.set(actor.externalId, { id, facts: JSON.stringify(actor) });
    }
  }
}

/** The largest difference, in ms, between a provider's clock and that of this service. */
const clockToleranceMs = 300_000;
/** The most pages of a stream: no repository has more, and a provider that never ends it is not followed for ever. */
const maxPages = 100_000;
/**
 * The most reads of a page that ends a stream too early; after them the end is accepted, even if the provider counts
 * more.
 */
const maxLooks = 3;

/** Reads a stream to its end; every page is stored together with the cursor behind it. */
export async function readStream(
  context: SyncContext,
  subject: Subject,
  stream: StreamState,
  due: Exclude<DueScan, 'nothing' | 'mark_complete'>,
): Promise<void> {
  const scan = await beginScan(context, subject, stream, due);
  let cursor = due === 'resume' ? stream.cursor : null;
  let { pageSize } = stream;
  let scanTotal = due === 'resume' ? stream.scanTotal : null;
  const streams = requirePart(subject.provider, 'streams');
  const actors = new ActorsOfScan();
  let looks = 1;
  let read = 0;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const position = { cursor, since: scan.since, pageSize, isDeep: scan.isDeep };
    const requestedAt = context.now();
    const page = await streams.read(stream.name, subject.known, position, subject.call);
    if (page.isWithheld) return withholdStream(context, subject, stream, scan, cursor);
    if (cursor === null) scanTotal = page.total;
    const stored = await inTransaction(context.connection, async (transaction) => {
      // The stream is locked before accounts and totals.
      await moveCursor(transaction, subject.repository.id, stream.name, {
        from: cursor,
        to: page.nextCursor,
        pageSize: page.pageSize,
        scanTotal,
        reachedAt: scan.isFull ? (page.reachedAt ?? null) : null,
      });
      const ids = await savePage(context, transaction, {
        repository: subject.repository,
        page,
        requestedAt,
        seenAt: scan.startedAt,
        scan: { stream: stream.name, isFull: scan.isFull },
        actors,
      });
      await recordSkips(context, transaction, toPlace(subject, stream, scan), subject.skips.take());
      const total = page.nextCursor === null ? Math.min(scanTotal ?? 0, page.total ?? 0) : 0;
      const endsTooEarly = looks < maxLooks && (await isShort(transaction, subject, stream, scan, total));
      if (endsTooEarly) {
        await moveBack(transaction, subject.repository.id, stream.name, cursor);
        return undefined;
      }
      const isLast = page.nextCursor === null;
      return { ids, end: isLast ? await finishStream(context, transaction, subject, stream, scan) : 'more' };
    });
    if (stored === undefined) {
      looks += 1;
      continue;
    }
    actors.remember(page.actors, stored.ids);
    read += page.contributions.length;
    subject.extent?.onPart(stream.name, read);
    if (page.nextCursor === null) return stored.end === 'done' ? undefined : removeRest(context, subject, stream, scan);
    ({ nextCursor: cursor, pageSize } = page);
  }
  throw new AppError('provider_invalid_response', 'The provider lists contributions without an end.');
}

async function beginScan(
  context: SyncContext,
  subject: Subject,
  stream: StreamState,
  due: 'resume' | 'changes' | 'everything',
): Promise<Scan> {
  const { repository } = subject;
  const isFull = due === 'resume' ? stream.scanIsFull : due === 'everything';
  const startedAt = (due === 'resume' ? stream.scanStartedAt : null) ?? context.now();
  const isDeep = due === 'resume' ? stream.scanIsDeep : isReadDeep(subject, stream);
  if (due !== 'resume') {
    await inTransaction(context.connection, async (transaction) => {
      await startScan(transaction, repository.id, stream.name, { startedAt, isFull, isDeep });
      await deleteSeen(transaction, repository.id, stream.name);
    });
  }
  const since = isFull || stream.knownUntil === null ? null : new Date(stream.knownUntil.getTime() - clockToleranceMs);
  return { startedAt, isFull, isDeep, since };
}

/**
 * Stores the contributions and accounts of a page.
 * @param read.requestedAt the time of the request: an account that was found to be hidden since stays hidden.
 * @returns our ids of all accounts on the page, by external id.
 */
export async function savePage(
  context: SyncContext,
  transaction: Connection,
  read: Pick<ReadContributions, 'seenAt' | 'scan'> & {
    repository: Repository;
    page: ContributionPage;
    requestedAt: Date;
    actors: ActorsOfScan;
  },
): Promise<ReadonlyMap<string, string>> {
  const { repository, page, requestedAt, seenAt, scan, actors } = read;
  const known = actors.idsOfKnown(page.actors);
  if (known.length > 0) {
    await takeSharedErasureLock(transaction);
    actors.removeErased(page.actors, await holdAccounts(transaction, known));
  }
  const saved = await saveActors(transaction, repository.provider, actors.unsaved(page.actors), {
    mentionedAt: requestedAt,
    newId: context.newId,
  });
  const accountIds = actors.findIds(page.actors, saved);
  await saveContributions(transaction, {
    repositoryId: repository.id,
    contributions: page.contributions,
    accountIds,
    wholeParents: page.wholeParents,
    seenAt,
    ...(scan && { scan }),
  });
  const pulls = page.contributions.filter(({ kind }) => kind === 'pull_request');
  await addPendingForPullRequests(
    transaction,
    repository.id,
    pulls.map(({ externalId }) => externalId),
  );
  return accountIds;
}
