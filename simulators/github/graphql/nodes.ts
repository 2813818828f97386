import { idIn, type Placed } from '../../world/world.ts';
import { type FieldRequest, type Fields, notFound } from './field-request.ts';

/** Returns the object with an opaque id, if the viewer may see it. */
export function findNode(context: FieldRequest, id: string): Fields {
  const { world, viewer, fieldsOf } = context;
  const placed = world.placeOf(id);
  if (placed !== undefined && world.canSee(viewer, placed.repository) && !isSecret(context, placed))
    return fieldsOfPlaced(context, placed);
  const number = idIn(id);
  const account = world.accountById(number);
  if (account?.nodeId === id) return fieldsOf.account(account);
  const repository = world.repositoryById(number);
  if (repository?.nodeId === id && world.canSee(viewer, repository)) return fieldsOf.repository(repository);
  throw notFound(`Could not resolve to a node with the global id of '${id}'.`);
}

/** True for a pending review of another account. */
function isSecret({ viewer }: FieldRequest, placed: Placed): boolean {
  return placed.kind === 'review' && placed.item.submittedAt === null && placed.item.authorId !== viewer.accountId;
}

function fieldsOfPlaced({ fieldsOf }: FieldRequest, placed: Placed): Fields {
  const { repository } = placed;
  if (placed.kind === 'issue') return fieldsOf.issue(repository, placed.item);
  if (placed.kind === 'pull_request') return fieldsOf.pullRequest(repository, placed.item);
  if (placed.kind === 'review') return fieldsOf.review(repository, placed.pull, placed.item);
  if (placed.kind === 'comment') return fieldsOf.comment(repository, placed.thread, placed.item);
  if (placed.kind === 'review_comment') return fieldsOf.reviewComment(repository, placed.pull, placed.item);
  if (placed.kind === 'discussion') return fieldsOf.discussion(repository, placed.item);
  return fieldsOf.discussionComment(repository, placed.discussion, placed.item);
}
