import type { Account, Discussion, DiscussionComment, Reactable, Reaction } from './model.ts';
import type { World } from './world.ts';

/** Changes without an event that touch no item: the service can only find them by polling. */

/** Adds a reaction; the same account has the same reaction only once. */
export function react(
  world: World,
  to: Reactable,
  { by, content, at = world.now() }: { by: Account; content: Reaction['content']; at?: Date },
): void {
  if (to.reactions.some((reaction) => reaction.accountId === by.id && reaction.content === content)) return;
  to.reactions.push({ id: world.newId(), accountId: by.id, content, createdAt: at });
  world.markChanged();
}

export function unreact(world: World, to: Reactable, of: { by: Account; content: Reaction['content'] }): void {
  to.reactions = to.reactions.filter((reaction) => reaction.accountId !== of.by.id || reaction.content !== of.content);
  world.markChanged();
}

export function upvote(world: World, item: Discussion | DiscussionComment, by: Account): void {
  if (!item.upvoterIds.includes(by.id)) item.upvoterIds.push(by.id);
  world.markChanged();
}

export function takeBackUpvote(world: World, item: Discussion | DiscussionComment, by: Account): void {
  item.upvoterIds = item.upvoterIds.filter((id) => id !== by.id);
  world.markChanged();
}
