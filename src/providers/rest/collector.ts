import type { Actor } from '../../accounts/account.ts';
import type { Contribution, ItemKind } from '../../contributions/contribution.ts';
import type { ContributionPage } from '../provider.ts';

/** What all kinds are told by. */
export interface ItemPayload {
  id: number;
  created_at: string;
  updated_at: string;
}

/** Puts together what one page tells. */
export class PageCollector {
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

  /** @returns the external id, to be named by a contribution; null for nobody. */
  addActor(actor: Actor | null): string | null {
    if (actor === null) return null;
    this.#actors.set(actor.externalId, actor);
    return actor.externalId;
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

/** Each once, without those who are nobody. */
export function distinct(people: readonly (string | null)[]): string[] {
  return [...new Set(people)].filter((id) => id !== null);
}

export function toDate(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
