import type { Actor } from '../../../accounts/account.ts';
import {
  type Contribution,
  type ContributionDetails,
  type ItemKind,
  noDetails,
} from '../../../contributions/contribution.ts';
import type { ContributionPage } from '../../provider.ts';
import { restActor, toActor } from '../actors.ts';
import type { ActorPayload, RestAccountPayload } from '../payloads.ts';
import type { ReactionPage, ReviewPayload, StarPayload } from './payloads.ts';

/** What all kinds are told by. */
interface ItemPayload {
  id: string | number;
  createdAt: string;
  updatedAt: string;
  closedAt?: string | null;
  mergedAt?: string | null;
}

/** What a page's end is told by. */
interface PageEnd {
  nextCursor: string | null;
  total: number | null;
  pageSize: number;
}

/** Puts together what one page tells. */
export class Collector {
  readonly contributions: Contribution[] = [];
  readonly wholeParents: string[] = [];
  readonly #actors = new Map<string, Actor>();

  add(kind: ItemKind, author: string | null, payload: ItemPayload): Contribution {
    const contribution: Contribution = {
      kind,
      externalId: String(payload.id),
      parentExternalId: null,
      author,
      createdAt: new Date(payload.createdAt),
      updatedAt: new Date(payload.updatedAt),
      closedAt: toDate(payload.closedAt),
      mergedAt: toDate(payload.mergedAt),
      answered: false,
      answeredBy: null,
      details: null,
    };
    this.contributions.push(contribution);
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
    return this.#remember(toActor(payload ?? null));
  }

  mentionByRest(payload: RestAccountPayload | null): string | null {
    return this.#remember(payload && restActor(payload));
  }

  mentionAll(payloads: readonly (ActorPayload | null | undefined)[]): string[] {
    return [...new Set(payloads.map((payload) => this.mention(payload)))].filter((id) => id !== null);
  }

  reactions(nodes: ReactionPage['nodes']): ContributionDetails['reactions'] {
    return nodes
      .filter((reaction) => reaction !== null)
      .map(({ content, user }) => ({ emoji: content, reactor: this.mention(user) }));
  }

  toPage({ nextCursor, total, pageSize }: PageEnd): ContributionPage {
    const { contributions, wholeParents } = this;
    return { contributions, actors: [...this.#actors.values()], wholeParents, nextCursor, total, pageSize };
  }

  #remember(actor: Actor | null): string | null {
    if (actor === null) return null;
    this.#actors.set(actor.externalId, actor);
    return actor.externalId;
  }
}

function toDate(text: string | null | undefined): Date | null {
  return text === null || text === undefined ? null : new Date(text);
}
