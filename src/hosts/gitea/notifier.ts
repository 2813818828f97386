import { Type } from 'typebox';
import { Nullable } from '../http/checks.ts';
import type { Notifier } from '../interface/notifier.ts';
import type { RestClient } from '../rest/client.ts';
import { stepFromOldest, toSeconds } from '../rest/lists.ts';
import { createIssueNotifier, type TitledIssue } from '../rest/notifier.ts';
import { RepositoryPayload, SaidPayload, TitledPayload } from './payloads.ts';
import { repositoryPath } from './repositories.ts';

const IssuesPayload = Type.Array(TitledPayload);
const CommentsPayload = Nullable(Type.Array(SaidPayload));

/** Creates a notifier that comments in issues with the scope `write:issue`; undefined when there are no tokens. */
export function createNotifier(client: RestClient): Notifier | undefined {
  return createIssueNotifier(client, {
    findRepository: async ({ owner, ownerName, repository }, call) => {
      const path = repositoryPath({ owner: ownerName, name: repository });
      const found = (await client.get(path, RepositoryPayload, call))?.data;
      if (found === undefined || String(found.owner.id) !== owner) return undefined;
      return repositoryPath({ owner: found.owner.login, name: found.name });
    },
    listIssues: async (repository, { cursor }, call) => {
      const query = { state: 'open', type: 'issues' };
      const list = { path: `${repository}/issues`, query, items: IssuesPayload };
      const step = await stepFromOldest(client, list, { cursor, since: null }, call);
      if (step === null) return null;
      // The first request is for page 1, which states the number of pages. That page is read again at the end.
      const isFirst = cursor === null && step.nextCursor !== null;
      return { ...step, items: isFirst ? [] : step.items.map(toIssue) };
    },
    readIssue: async (issue, call) => {
      const found = (await client.get(issue, TitledPayload, call))?.data;
      return found && toIssue(found);
    },
    readComments: async (issue, since, call) => {
      const query = new URLSearchParams({ since: toSeconds(since) });
      const response = await client.get(`${issue}/comments?${query.toString()}`, CommentsPayload, call);
      return response && (response.data ?? []).map(({ body }) => body);
    },
    addComment: (issue, body, call) => client.create(`${issue}/comments`, { body }, SaidPayload, call),
  });
}

function toIssue({ number, title, state }: TitledPayload): TitledIssue {
  return { number, title, isOpen: state === 'open' };
}
