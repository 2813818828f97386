import { idIn, type Placed } from '../../world/world.ts';
import { type Fields, notFound, type Question } from './question.ts';

/** Returns the object with an opaque id, if the viewer may see it. */
export function findNode(question: Question, id: string): Fields {
  const { world, viewer, tell } = question;
  const placed = world.placeOf(id);
  if (placed !== undefined && world.canSee(viewer, placed.repository) && !isSecret(question, placed))
    return tellPlaced(question, placed);
  const number = idIn(id);
  const account = world.accountById(number);
  if (account?.nodeId === id) return tell.account(account);
  const repository = world.repositoryById(number);
  if (repository?.nodeId === id && world.canSee(viewer, repository)) return tell.repository(repository);
  throw notFound(`Could not resolve to a node with the global id of '${id}'.`);
}

/** True for a pending review of another account. */
function isSecret({ viewer }: Question, placed: Placed): boolean {
  return placed.kind === 'review' && placed.item.submittedAt === null && placed.item.authorId !== viewer.accountId;
}

function tellPlaced({ tell }: Question, placed: Placed): Fields {
  const { repository } = placed;
  if (placed.kind === 'issue') return tell.issue(repository, placed.item);
  if (placed.kind === 'pull_request') return tell.pullRequest(repository, placed.item);
  if (placed.kind === 'review') return tell.review(repository, placed.pull, placed.item);
  if (placed.kind === 'comment') return tell.comment(repository, placed.thread, placed.item);
  if (placed.kind === 'review_comment') return tell.reviewComment(repository, placed.pull, placed.item);
  if (placed.kind === 'discussion') return tell.discussion(repository, placed.item);
  return tell.discussionComment(repository, placed.discussion, placed.item);
}
