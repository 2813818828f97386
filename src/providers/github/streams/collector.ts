import {
  type Contribution,
  type ContributionDetails,
  type ItemKind,
  noDetails,
} from '../../../contributions/contribution.ts';
import { distinct, PageCollector, toDate } from '../../collector.ts';
import { restActor, toActor } from '../actors.ts';
import type { ActorPayload, RestAccountPayload } from '../payloads.ts';
import type { ReactionPage, ReviewPayload, StarPayload } from './payloads.ts';

/** What all kinds are told by. */
interface ItemPayload {
  id: string | number;
  createdAt: string;
  updatedAt: string | null;
  closedAt?: string | null;
  mergedAt?: string | null;
}

/** Puts together what one page tells. */
export class Collector extends PageCollector {
  add(kind: ItemKind, author: string | null, payload: ItemPayload): Contribution {
    const contribution = this.addItem(kind, author, payload);
    contribution.closedAt = toDate(payload.closedAt);
    contribution.mergedAt = toDate(payload.mergedAt);
    return contribution;
  }

  /** One that is not submitted yet is seen by its author alone. */
  addReview(review: ReviewPayload, parentExternalId: string): void {
    if (review.state === 'PENDING' || review.submittedAt === null) return;
    const { fullDatabaseId: id, submittedAt: createdAt, updatedAt } = review;
    const author = this.mention(review.author);
    this.add('review', author, { id, createdAt, updatedAt }).parentExternalId = parentExternalId;
  }

  /** A star is known by who gave it; the account of one who is gone gives none. */
  addStar({ starredAt, node }: StarPayload): void {
    const account = this.mention(node);
    if (account === null) return;
    this.add('star', account, { id: account, createdAt: starredAt, updatedAt: starredAt }).details = noDetails;
  }

  /** @returns the external id, to be named by a contribution. */
  mention(payload: ActorPayload | null | undefined): string | null {
    return this.addActor(toActor(payload ?? null));
  }

  mentionByRest(payload: RestAccountPayload | null): string | null {
    return this.addActor(payload && restActor(payload));
  }

  mentionAll(payloads: readonly (ActorPayload | null | undefined)[]): string[] {
    return distinct(payloads.map((payload) => this.mention(payload)));
  }

  reactions(nodes: ReactionPage['nodes']): ContributionDetails['reactions'] {
    return nodes.map(({ content, user }) => ({ emoji: content, reactor: this.mention(user) }));
  }
}
