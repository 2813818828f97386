import type { Actor } from '../../../accounts/account.ts';
import type { Contribution, ContributionDetails, ItemKind } from '../../../contributions/contribution.ts';
import type { ContributionPage } from '../../provider.ts';
import { toActor } from '../accounts.ts';
import type { ReactionPayload, UserPayload } from '../payloads.ts';

/** The eight that every host has, by the names that conditions know them by; an instance may have more. */
const emojis = new Map([
  ['+1', 'THUMBS_UP'],
  ['-1', 'THUMBS_DOWN'],
  ['laugh', 'LAUGH'],
  ['hooray', 'HOORAY'],
  ['confused', 'CONFUSED'],
  ['heart', 'HEART'],
  ['rocket', 'ROCKET'],
  ['eyes', 'EYES'],
]);

/** What all kinds are told by. */
interface ItemPayload {
  id: number;
  created_at: string;
  updated_at: string;
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
      createdAt: new Date(payload.created_at),
      updatedAt: new Date(payload.updated_at),
      closedAt: null,
      mergedAt: null,
      answered: false,
      answeredBy: null,
      details: null,
    };
    this.contributions.push(contribution);
    return contribution;
  }

  /** @returns the external id, to be named by a contribution. */
  mention(payload: UserPayload | null): string | null {
    const actor = toActor(payload);
    if (actor === null) return null;
    this.#actors.set(actor.externalId, actor);
    return actor.externalId;
  }

  /** Who wrote something on this host; whoever imported it did not. */
  mentionPoster({ user, original_author }: { user: UserPayload | null; original_author: string }): string | null {
    return original_author === '' ? this.mention(user) : null;
  }

  mentionAll(payloads: readonly (UserPayload | null)[]): string[] {
    return [...new Set(payloads.map((payload) => this.mention(payload)))].filter((id) => id !== null);
  }

  reactions(payloads: readonly ReactionPayload[]): ContributionDetails['reactions'] {
    return payloads.map(({ content, user }) => ({
      emoji: emojis.get(content) ?? content,
      reactor: this.mention(user),
    }));
  }

  toPage({ nextCursor, total }: Pick<ContributionPage, 'nextCursor' | 'total'>): ContributionPage {
    const { contributions, wholeParents } = this;
    return {
      contributions,
      actors: [...this.#actors.values()],
      wholeParents,
      nextCursor,
      total,
      pageSize: Math.max(1, contributions.length),
    };
  }
}
