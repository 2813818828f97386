import type { Actor } from '../accounts/account.ts';

const maxRemembered = 10_000;

/** Whom a scan has met: the same few people are on most of its pages, and need not be stored again for each. */
export class ActorsOfScan {
  readonly #known = new Map<string, { id: string; facts: string }>();

  /** Those whom the scan has not met yet, or who are told differently now. */
  unsaved(actors: readonly Actor[]): Actor[] {
    return actors.filter((actor) => this.#known.get(actor.externalId)?.facts !== JSON.stringify(actor));
  }

  /** Our ids of those on a page: `saved` just now, or known from before. */
  idsOf(actors: readonly Actor[], saved: ReadonlyMap<string, string>): Map<string, string> {
    const ids = new Map<string, string>();
    for (const { externalId } of actors) {
      const id = saved.get(externalId) ?? this.#known.get(externalId)?.id;
      if (id !== undefined) ids.set(externalId, id);
    }
    return ids;
  }

  /** To be called once what was saved is committed. */
  remember(actors: readonly Actor[], ids: ReadonlyMap<string, string>): void {
    if (this.#known.size > maxRemembered) this.#known.clear();
    for (const actor of actors) {
      const id = ids.get(actor.externalId);
      if (id !== undefined) this.#known.set(actor.externalId, { id, facts: JSON.stringify(actor) });
    }
  }
}
