import type { ContributionDetails } from '../../../contributions/contribution.ts';
import { distinct } from '../../collector.ts';
import { ListCollector } from '../../rest/collector.ts';
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

/** Puts together what one page tells. */
export class Collector extends ListCollector {
  /** @returns the external id, to be named by a contribution. */
  mention(payload: UserPayload | null): string | null {
    return this.addActor(toActor(payload));
  }

  /** Who wrote something on this host; whoever imported it did not. */
  mentionPoster({ user, original_author }: { user: UserPayload | null; original_author: string }): string | null {
    return original_author === '' ? this.mention(user) : null;
  }

  mentionAll(payloads: readonly (UserPayload | null)[]): string[] {
    return distinct(payloads.map((payload) => this.mention(payload)));
  }

  reactions(payloads: readonly ReactionPayload[]): ContributionDetails['reactions'] {
    return payloads.map(({ content, user }) => ({
      emoji: emojis.get(content) ?? content,
      reactor: this.mention(user),
    }));
  }
}
