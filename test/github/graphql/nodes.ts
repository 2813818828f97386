import type { Repository } from '../world/model.ts';
import type { World } from '../world/world.ts';
import { type Fields, notFound, type Question } from './question.ts';

type Tell = (question: Question) => Fields;
/** Null: nobody's private matter. */
type Entry = { repository: Repository | null; tell: Tell };

const indexes = new WeakMap<World, { version: number; byId: Map<string, Entry> }>();

/** What an opaque id names, if the viewer may see it. */
export function findNode(question: Question, id: string): Fields {
  const { world, viewer } = question;
  const entry = indexOf(world).get(id);
  const isHidden = entry?.repository !== null && entry !== undefined && !world.canSee(viewer, entry.repository);
  if (entry === undefined || isHidden) throw notFound(`Could not resolve to a node with the global id of '${id}'.`);
  return entry.tell(question);
}

function indexOf(world: World): Map<string, Entry> {
  const known = indexes.get(world);
  if (known?.version === world.version) return known.byId;
  const byId = new Map<string, Entry>();
  for (const account of world.accounts) {
    if (!account.isDeleted) byId.set(account.nodeId, { repository: null, tell: ({ tell }) => tell.account(account) });
  }
  for (const repository of world.repositories) {
    byId.set(repository.nodeId, { repository, tell: ({ tell }) => tell.repository(repository) });
    for (const issue of repository.issues) {
      byId.set(issue.nodeId, { repository, tell: ({ tell }) => tell.issue(repository, issue) });
    }
    for (const pull of repository.pullRequests) {
      byId.set(pull.nodeId, { repository, tell: ({ tell }) => tell.pullRequest(repository, pull) });
    }
    for (const discussion of repository.discussions) {
      byId.set(discussion.nodeId, { repository, tell: ({ tell }) => tell.discussion(repository, discussion) });
    }
  }
  indexes.set(world, { version: world.version, byId });
  return byId;
}
