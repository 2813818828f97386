import { type Static, Type } from 'typebox';
import { describeItems } from '../http/tolerant.ts';
import { type ChangedItem, changesSince, readChangedWithTokens } from '../rest/changes.ts';
import type { RestReaders } from '../rest/client.ts';
import { groupIdIn } from './actors.ts';

/**
 * Reads changes of issues and merge requests with two lists for each token: of the group, or of each project of a user.
 * GitLab updates a project's `last_activity_at` once an hour at most (gitlab-org/gitlab, app/models/event.rb:
 * RESET_PROJECT_ACTIVITY_INTERVAL), so listings show only the first change of an hour. Comments and approvals update
 * the time of the issue or merge request that they belong to.
 */

const FoundPayload = Type.Object({ id: Type.Integer(), updated_at: Type.String(), project_id: Type.Integer() });

/**
 * https://docs.gitlab.com/api/issues/#list-group-issues and
 * https://docs.gitlab.com/api/merge_requests/#list-group-merge-requests
 */
const lists = [
  { name: 'issues', items: describeItems('issue', FoundPayload), streams: ['issues'] },
  { name: 'merge_requests', items: describeItems('pull_request', FoundPayload), streams: ['pull_requests'] },
] as const;

export const readChanges: RestReaders['readChanges'] = async (
  client,
  { externalId, type },
  { repositories, position },
  call,
) => {
  const places =
    type === 'organization' ? [`/groups/${groupIdIn(externalId)}`] : repositories.map((id) => `/projects/${id}`);
  const read = (since: Date) => {
    const query = { scope: 'all', state: 'all', updated_after: since.toISOString() };
    const all = places.flatMap((place) =>
      lists.map(({ name, items, streams }) => ({
        path: `${place}/${name}`,
        query,
        items,
        toItem: (item: Static<typeof FoundPayload>): ChangedItem => ({
          id: `${name} ${item.id}`,
          updatedAt: item.updated_at,
          repository: String(item.project_id),
          streams: [...streams],
        }),
      })),
    );
    return readChangedWithTokens(client, all, call);
  };
  const everything = repositories.map((repository) => ({ repository, streams: ['issues', 'pull_requests'] }));
  return changesSince(client, position, read, everything);
};
