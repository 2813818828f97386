import type { ContributionDetails } from '../../../model/contribution.ts';
import { ListCollector } from '../../rest/collector.ts';
import { toActor } from '../accounts.ts';
import type { ReactionPayload, UserPayload } from '../payloads.ts';

/** The eight reactions that every host has, with their names in conditions; an instance may have more. */
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

/** Collects the contributions on one page. */
export class Collector extends ListCollector<UserPayload> {
  protected override readonly toActor = toActor;

  /** Adds the author of an item; null when it was imported, as the importing account did not write it. */
  mentionPoster({ user, original_author }: { user: UserPayload | null; original_author: string }): string | null {
    return original_author === '' ? this.mention(user) : null;
  }

  reactions(payloads: readonly ReactionPayload[]): ContributionDetails['reactions'] {
    return payloads.map(({ content, user }) => ({
      emoji: emojis.get(content) ?? content,
      reactor: this.mention(user),
    }));
  }
}
