import type { ContributionDetails } from '../../../contributions/contribution.ts';
import { distinct } from '../../collector.ts';
import { ListCollector } from '../../rest/collector.ts';
import { toActor } from '../actors.ts';
import type { AwardPayload, UserPayload } from '../payloads.ts';

/** Those that GitHub has too, by the names that conditions know them by. */
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

/** Puts together what one page tells. */
export class Collector extends ListCollector {
  /** @returns the external id, to be named by a contribution. */
  mention(payload: UserPayload | null): string | null {
    return this.addActor(toActor(payload));
  }

  mentionAll(payloads: readonly (UserPayload | null)[]): string[] {
    return distinct(payloads.map((payload) => this.mention(payload)));
  }

  /** A thumb of whatever skin is a thumb. */
  reactions(payloads: readonly AwardPayload[]): ContributionDetails['reactions'] {
    return payloads.map(({ name, user }) => ({
      emoji: emojis.get(name.replace(/_tone[1-5]$/, '')) ?? name,
      reactor: this.mention(user),
    }));
  }
}
