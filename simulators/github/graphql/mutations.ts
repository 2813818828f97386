import { addDiscussionComment } from '../../world/comments.ts';
import { type FieldRequest, type Fields, faultyArgument, notFound } from './field-request.ts';

/** Returns the mutations of GraphQL that the simulator supports, with their permissions. */
export function mutationFields(context: FieldRequest): Fields {
  const { world, viewer, fieldsOf } = context;
  return {
    addDiscussionComment: ({ input }: { input: { discussionId: string; body: string; replyToId?: string | null } }) => {
      const placed = world.findItem(input.discussionId);
      if (placed?.kind !== 'discussion' || !world.canSee(viewer, placed.repository)) {
        throw notFound(`Could not resolve to a node with the global id of '${input.discussionId}'.`);
      }
      const commenter = context.commenter(placed.repository);
      if (commenter === null) throw faultyArgument('FORBIDDEN', 'Resource not accessible by integration');
      if (input.body.trim() === '') throw faultyArgument('UNPROCESSABLE', "Body can't be blank");
      if (input.body.length > 65_536) throw faultyArgument('UNPROCESSABLE', 'Body is too long');
      const comment = addDiscussionComment(world, placed.item, { author: commenter, body: input.body });
      return {
        clientMutationId: null,
        comment: () => fieldsOf.discussionComment(placed.repository, placed.item, comment),
      };
    },
  };
}
