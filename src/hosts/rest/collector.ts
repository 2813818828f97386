import type { Contribution, ItemKind } from '../../model/contribution.ts';
import { PageCollector } from '../interface/collector.ts';
import type { ContributionPage } from '../interface/provider.ts';
import type { Step, Wanted } from './lists.ts';
import type { Addition } from './streams.ts';

/** The fields that items of all kinds have. */
export interface ItemPayload {
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
  toPageOf({ nextCursor, total }: Step<unknown>, { since }: Pick<Wanted, 'since'>): ContributionPage {
    return this.toPage({ nextCursor, total: since === null ? total : null });
  }

  override toPage(end: Pick<ContributionPage, 'nextCursor' | 'total'>): ContributionPage {
    return super.toPage({ ...end, pageSize: Math.max(1, this.contributions.length) });
  }
}
