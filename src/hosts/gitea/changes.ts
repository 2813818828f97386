import { Type } from 'typebox';
import { describeItems } from '../http/tolerant.ts';
import { type ChangedItem, changesSince, readChangedWithTokens } from '../rest/changes.ts';
import type { RestReaders } from '../rest/client.ts';
import { toSeconds } from '../rest/lists.ts';

/**
 * Reads changes of issues and pull requests in all repositories of an owner, with one search for each token. The search
 * is necessary, because such changes do not update the time of the repository (go-gitea/gitea, models/repo/repo.go:
 * UpdateRepoIssueNumbers). Comments and reviews update the time of their issue (models/issues/comment.go:
 * updateCommentInfos). A push updates the time of the repository, which listings show.
 */

const FoundPayload = describeItems(
  'issue',
  Type.Object({
    id: Type.Integer(),
    updated_at: Type.String(),
    pull_request: Type.Union([Type.Null(), Type.Object({})]),
    repository: Type.Object({ id: Type.Integer() }),
  }),
);

export const readChanges: RestReaders['readChanges'] = async (client, { name }, known, call) => {
  const everything = known.repositories.map((repository) => ({
    repository,
    streams: ['comments', 'issues', 'pull_requests'],
  }));
  const read = (since: Date) => {
    const query = { state: 'all', owner: name, since: toSeconds(since) };
    const list = { path: '/repos/issues/search', query, items: FoundPayload, toItem };
    return readChangedWithTokens(client, [list], call);
  };
  return changesSince(client, known.position, read, everything);
};

function toItem(found: {
  id: number;
  updated_at: string;
  pull_request: object | null;
  repository: { id: number };
}): ChangedItem {
  return {
    id: String(found.id),
    updatedAt: found.updated_at,
    repository: String(found.repository.id),
    streams: ['comments', found.pull_request === null ? 'issues' : 'pull_requests'],
  };
}
