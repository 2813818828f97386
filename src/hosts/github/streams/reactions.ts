import { moreReactions } from '../queries.ts';
import type { StreamContext } from './context.ts';
import type { ReactablePayload, ReactionPage } from './payloads.ts';

/** A limit against endless lists: no item has a thousand pages of reactions. */
const maxReactionPages = 1000;

/** Returns all reactions to an item; fetches the reactions after the first 100 with further requests. */
export async function allReactions(
  { client, call }: StreamContext,
  { id, reactions }: ReactablePayload,
): Promise<ReactionPage['nodes']> {
  if (reactions === null) return [];
  const nodes = [...reactions.nodes];
  let { pageInfo } = reactions;
  for (let pages = 1; pageInfo.hasNextPage && pages < maxReactionPages; pages += 1) {
    const { data } = await client.graphql(moreReactions, { id, after: pageInfo.endCursor }, call);
    // The item was deleted meanwhile.
    if (data.node === null) break;
    nodes.push(...data.node.reactions.nodes);
    ({ pageInfo } = data.node.reactions);
  }
  return nodes;
}
