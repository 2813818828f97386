import type { Actor } from '../../model/account.ts';

const maxRemembered = 10_000;

/**
 * The accounts that a scan has met: most of its pages mention the same few, which need not be stored again for each
 * page.
 */
export class ActorsOfScan {
  readonly #known = new Map<string, { id: string; facts: string }>();

  /** Returns the accounts that the scan has not met yet, or whose facts have changed since. */
  unsaved(actors: readonly Actor[]): Actor[] {
    return actors.filter((actor) => this.#known.get(actor.externalId)?.facts !== JSON.stringify(actor));
  }

  /** Returns our ids of the accounts on a page: of those just `saved`, and of those met before. */
  findIds(actors: readonly Actor[], saved: ReadonlyMap<string, string>): Map<string, string> {
    const ids = new Map<string, string>();
    for (const { externalId } of actors) {
      const id = saved.get(externalId) ?? this.#known.get(externalId)?.id;
      if (id !== undefined) ids.set(externalId, id);
    }
    return ids;
  }

  /** Returns our ids of the accounts that are not saved again. */
  idsOfKnown(actors: readonly Actor[]): string[] {
    return actors.flatMap(({ externalId }) => this.#known.get(externalId)?.id ?? []);
  }

  /** Removes accounts of a page that were erased since the scan met them: of those of the page, only `stored` are left. */
  removeErased(actors: readonly Actor[], stored: ReadonlySet<string>): void {
    for (const { externalId } of actors) {
      const known = this.#known.get(externalId);
      if (known !== undefined && !stored.has(known.id)) this.#known.delete(externalId);
    }
  }

  /** Remembers saved accounts. Must be called after the transaction that saved them has committed. */
  remember(actors: readonly Actor[], ids: ReadonlyMap<string, string>): void {
    if (this.#known.size > maxRemembered) this.#known.clear();
    for (const actor of actors) {
      const id = ids.get(actor.externalId);
      if (id !== undefined) this.#known.set(actor.externalId, { id, facts: JSON.stringify(actor) });
    }
  }
}
