import type { Contribution, ItemKind } from '../../model/contribution.ts';
import { PageCollector } from '../interface/collector.ts';
import type { Call, ContributionPage, KnownRepository } from '../interface/provider.ts';
import type { RestClient } from './client.ts';
import type { Step, Wanted } from './lists.ts';

/** The longest time, in ms, between the merge of a pull request and the closing of an issue by it. */
const closedByMergeWithinMs = 300_000;

/** The fields that items of all kinds have. */
interface ItemPayload {
  id: number;
  created_at: string;
  updated_at: string | null;
  title?: string | null;
  /** The number; GitLab's is `iid`. */
  number?: number;
  iid?: number;
}

/** Collects the contributions on one page of a list. */
export abstract class ListCollector<Payload> extends PageCollector<Payload> {
  add(kind: ItemKind, author: string | null, payload: ItemPayload): Contribution {
    const { id, created_at: createdAt, updated_at: updatedAt, title = null, number = payload.iid } = payload;
    const heading = number === undefined ? undefined : { number, title };
    return this.addItem(kind, author, { id, createdAt, updatedAt, heading });
  }

  addAll(additions: readonly Addition<this>[]): this {
    for (const add of additions) add(this);
    return this;
  }

  /** Returns the page of a step. The length of a list of changes says nothing about the length of the whole list. */
  toStepPage({ nextCursor, total }: Step<unknown>, { since }: Pick<Wanted, 'since'>): ContributionPage {
    return this.toPage({ nextCursor, total: since === null ? total : null });
  }

  override toPage(end: Pick<ContributionPage, 'nextCursor' | 'total'>): ContributionPage {
    return super.toPage({ ...end, pageSize: Math.max(1, this.contributions.length) });
  }
}

/** The client and the repository to read. */
export interface StreamContext {
  client: RestClient;
  repository: KnownRepository;
  call: Call;
}

/** Adds an item to a page after all parts of the item were read. */
export type Addition<Collector> = (collector: Collector) => void;

/** Returns whether the merge of a pull request may have closed an issue. */
export function isClosedByMerge(closedAt: string, mergedAt: string | null): boolean {
  if (mergedAt === null) return false;
  const agoMs = Date.parse(closedAt) - Date.parse(mergedAt);
  return agoMs >= 0 && agoMs <= closedByMergeWithinMs;
}
