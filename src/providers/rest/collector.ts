import type { Contribution, ItemKind } from '../../contributions/contribution.ts';
import { PageCollector } from '../collector.ts';
import type { ContributionPage } from '../provider.ts';

/** The fields that items of all kinds have. */
export interface ItemPayload {
  id: number;
  created_at: string;
  updated_at: string | null;
}

/** Collects the contributions on one page of a list. */
export abstract class ListCollector<Payload> extends PageCollector<Payload> {
  add(kind: ItemKind, author: string | null, payload: ItemPayload): Contribution {
    const { id, created_at: createdAt, updated_at: updatedAt } = payload;
    return this.addItem(kind, author, { id, createdAt, updatedAt });
  }

  override toPage(end: Pick<ContributionPage, 'nextCursor' | 'total'>): ContributionPage {
    return super.toPage({ ...end, pageSize: Math.max(1, this.contributions.length) });
  }
}
