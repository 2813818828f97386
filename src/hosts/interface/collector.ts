import type { Actor } from '../../model/account.ts';
import type { Contribution, Heading, ItemKind } from '../../model/contribution.ts';
import type { ContributionPage } from './provider.ts';

/** Collects the contributions on one page, and the actors that they name. */
export abstract class PageCollector<Payload> {
  /** Returns the account of a payload; null for a payload that is not an account, or of a deleted account. */
  protected abstract readonly toActor: (payload: Payload | null) => Actor | null;
  readonly contributions: Contribution[] = [];
  readonly wholeParents: string[] = [];
  readonly #actors = new Map<string, Actor>();

  /** Adds an item. @param author the external id of its author. @returns the item, whose fields can still be set. */
  addItem(
    kind: ItemKind,
    author: string | null,
    item: { id: string | number; createdAt: string; updatedAt: string | null; heading?: Heading | undefined },
  ): Contribution {
    const contribution: Contribution = {
      kind,
      externalId: String(item.id),
      parentExternalId: null,
      author,
      createdAt: new Date(item.createdAt),
      // Without a time of change, the oldest possible time keeps the item from overwriting a newer stored state.
      updatedAt: new Date(item.updatedAt ?? item.createdAt),
      closedAt: null,
      mergedAt: null,
      answered: false,
      answeredBy: null,
      details: null,
      ...(item.heading && { heading: item.heading }),
    };
    this.contributions.push(contribution);
    return contribution;
  }

  /** Adds an actor. @returns its external id, by which contributions refer to it; null without an actor. */
  addActor(actor: Actor | null): string | null {
    if (actor === null) return null;
    this.#actors.set(actor.externalId, actor);
    return actor.externalId;
  }

  /** Adds the account of a payload. @returns its external id, by which contributions refer to it; null without one. */
  mention(payload: Payload | null | undefined): string | null {
    return this.addActor(this.toActor(payload ?? null));
  }

  mentionAll(payloads: readonly (Payload | null | undefined)[]): string[] {
    return [...new Set(payloads.map((payload) => this.mention(payload)))].filter((id) => id !== null);
  }

  toPage({
    nextCursor,
    total,
    pageSize,
    reachedAt = null,
  }: Pick<ContributionPage, 'nextCursor' | 'total' | 'pageSize' | 'reachedAt'>): ContributionPage {
    const { contributions, wholeParents } = this;
    return { contributions, actors: [...this.#actors.values()], wholeParents, nextCursor, total, pageSize, reachedAt };
  }
}

export function toDate(text: string | null | undefined): Date | null {
  return text === null || text === undefined ? null : new Date(text);
}
