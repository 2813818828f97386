import type { ContributionDetails } from '../../../model/contribution.ts';
import { ListCollector } from '../../rest/collector.ts';
import { toActor } from '../actors.ts';
import type { AwardPayload, UserPayload } from '../payloads.ts';

/** The reactions that GitHub has too, with their names in conditions. */
const emojis = new Map([
  ['thumbsup', 'THUMBS_UP'],
  ['thumbsdown', 'THUMBS_DOWN'],
  ['smile', 'LAUGH'],
  ['laughing', 'LAUGH'],
  ['tada', 'HOORAY'],
  ['confused', 'CONFUSED'],
  ['heart', 'HEART'],
  ['rocket', 'ROCKET'],
  ['eyes', 'EYES'],
]);

/** Collects the contributions on one page. */
export class Collector extends ListCollector<UserPayload> {
  protected override readonly toActor = toActor;

  /** Converts reactions. Skin tones are dropped, so that a thumb of any tone is the same reaction. */
  reactions(payloads: readonly AwardPayload[]): ContributionDetails['reactions'] {
    return payloads.map(({ name, user }) => ({
      emoji: emojis.get(name.replace(/_tone[1-5]$/, '')) ?? name,
      reactor: this.mention(user),
    }));
  }
}
