import type { Actor } from '../accounts/account.ts';
import type { Contribution, ItemKind } from '../contributions/contribution.ts';
import type { ContributionPage } from './provider.ts';

/** Puts together what one page tells. */
export class PageCollector {
  readonly contributions: Contribution[] = [];
  readonly wholeParents: string[] = [];
  readonly #actors = new Map<string, Actor>();

  /** @param author by external id. */
  addItem(
    kind: ItemKind,
    author: string | null,
    told: { id: string | number; createdAt: string; updatedAt: string | null },
  ): Contribution {
    const contribution: Contribution = {
      kind,
      externalId: String(told.id),
      parentExternalId: null,
      author,
      createdAt: new Date(told.createdAt),
      // The oldest time that is possible, so that a known newer state stays.
      updatedAt: new Date(told.updatedAt ?? told.createdAt),
      closedAt: null,
      mergedAt: null,
      answered: false,
      answeredBy: null,
      details: null,
    };
    this.contributions.push(contribution);
    return contribution;
  }

  /** @returns the external id, to be named by a contribution; null for nobody. */
  addActor(actor: Actor | null): string | null {
    if (actor === null) return null;
    this.#actors.set(actor.externalId, actor);
    return actor.externalId;
  }

  toPage({
    nextCursor,
    total,
    pageSize,
  }: Pick<ContributionPage, 'nextCursor' | 'total' | 'pageSize'>): ContributionPage {
    const { contributions, wholeParents } = this;
    return { contributions, actors: [...this.#actors.values()], wholeParents, nextCursor, total, pageSize };
  }
}

/** Each once, without those who are nobody. */
export function distinct(people: readonly (string | null)[]): string[] {
  return [...new Set(people)].filter((id) => id !== null);
}

export function toDate(text: string | null | undefined): Date | null {
  return text === null || text === undefined ? null : new Date(text);
}
