import { type Place, simpleAccount } from '../rest/accounts.ts';
import { issue, repository as tellRepository } from '../rest/repositories.ts';
import type { WorldEvent } from '../world/events.ts';

/** What GitHub sends about an event, besides the installation by which it is sent. */
export function payloadOf(place: Place, { action, repository, ownerId, senderId, details }: WorldEvent): object {
  const [owner, sender] = [place.world.accountById(ownerId), place.world.accountById(senderId)];
  return {
    ...(action !== null && { action }),
    ...(details.issue && repository && { issue: issue(place, repository, details.issue) }),
    ...(repository && { repository: tellRepository(place, repository) }),
    ...(owner?.type === 'Organization' && { organization: simpleAccount(place, owner) }),
    ...(sender && { sender: simpleAccount(place, sender) }),
    ...details.more,
  };
}
