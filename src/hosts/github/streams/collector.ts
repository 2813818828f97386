import {
  type Contribution,
  type ContributionDetails,
  type ItemKind,
  noDetails,
  reviewStates,
} from '../../../model/contribution.ts';
import { PageCollector, toDate } from '../../interface/collector.ts';
import type { Call, ContributionPage, KnownRepository, Position } from '../../interface/provider.ts';
import { restActor, toActor } from '../actors.ts';
import type { GitHubClient } from '../client.ts';
import type { ActorPayload, RestAccountPayload } from '../payloads.ts';
import type { ReactionPage, ReviewPayload, StarPayload } from './payloads.ts';

/** The client and the call for further requests about a page. */
export interface StreamContext {
  client: GitHubClient;
  call: Call;
}

/** Reads a page of a stream. */
export type PageReader = (
  client: GitHubClient,
  repository: KnownRepository,
  position: Position & { pageSize: number },
  call: Call,
) => Promise<ContributionPage>;

/** The fields that all kinds of items have. */
interface ItemPayload {
  id: string | number;
  createdAt: string;
  updatedAt: string | null;
  closedAt?: string | null;
  mergedAt?: string | null;
  number?: number | null;
  title?: string | null;
}

/** Collects the contributions on one page of GitHub, and the actors that they name. */
export class Collector extends PageCollector<ActorPayload> {
  protected override readonly toActor = toActor;

  add(kind: ItemKind, author: string | null, payload: ItemPayload): Contribution {
    const { number = null, title = null } = payload;
    const heading = number === null ? undefined : { number, title };
    const contribution = this.addItem(kind, author, { ...payload, heading });
    contribution.closedAt = toDate(payload.closedAt);
    contribution.mergedAt = toDate(payload.mergedAt);
    return contribution;
  }

  /** Adds a submitted review. Leaves out a review that is not submitted, because only its author sees it. */
  addReview(review: ReviewPayload, parentExternalId: string): void {
    if (review.submittedAt === null) return;
    const { fullDatabaseId: id, submittedAt: createdAt, updatedAt } = review;
    const author = this.mention(review.author);
    const added = this.add('review', author, { id, createdAt, updatedAt });
    added.parentExternalId = parentExternalId;
    added.details = { ...noDetails, state: reviewStates.find((state) => state === review.state.toLowerCase()) ?? null };
  }

  /** Adds a star. A star's id is that of its account, so a star of a deleted account is left out. */
  addStar({ starredAt, node }: StarPayload): void {
    const account = this.mention(node);
    if (account === null) return;
    this.add('star', account, { id: account, createdAt: starredAt, updatedAt: starredAt }).details = noDetails;
  }

  mentionByRest(payload: RestAccountPayload | null): string | null {
    return this.addActor(payload && restActor(payload));
  }

  reactions(nodes: ReactionPage['nodes']): ContributionDetails['reactions'] {
    return nodes.map(({ content, user }) => ({ emoji: content, reactor: this.mention(user) }));
  }
}
