import { idIn, type LocatedItem } from '../../world/world.ts';
import { type FieldRequest, type Fields, notFound } from './field-request.ts';

/** Returns the object with an opaque id, if the viewer may see it. */
export function findNode(context: FieldRequest, id: string): Fields {
  const { world, viewer, fieldsOf } = context;
  const located = world.findItem(id);
  if (located !== undefined && world.canSee(viewer, located.repository) && !isSecret(context, located))
    return fieldsOfLocated(context, located);
  const number = idIn(id);
  const account = world.accountById(number);
  if (account?.nodeId === id) return fieldsOf.account(account);
  const repository = world.repositoryById(number);
  if (repository?.nodeId === id && world.canSee(viewer, repository)) return fieldsOf.repository(repository);
  throw notFound(`Could not resolve to a node with the global id of '${id}'.`);
}

/** True for a pending review of another account. */
function isSecret({ viewer }: FieldRequest, located: LocatedItem): boolean {
  return located.kind === 'review' && located.item.submittedAt === null && located.item.authorId !== viewer.accountId;
}

function fieldsOfLocated({ fieldsOf }: FieldRequest, located: LocatedItem): Fields {
  const { repository } = located;
  if (located.kind === 'issue') return fieldsOf.issue(repository, located.item);
  if (located.kind === 'pull_request') return fieldsOf.pullRequest(repository, located.item);
  if (located.kind === 'review') return fieldsOf.review(repository, located.pull, located.item);
  if (located.kind === 'comment') return fieldsOf.comment(repository, located.thread, located.item);
  if (located.kind === 'review_comment') return fieldsOf.reviewComment(repository, located.pull, located.item);
  if (located.kind === 'discussion') return fieldsOf.discussion(repository, located.item);
  return fieldsOf.discussionComment(repository, located.discussion, located.item);
}
