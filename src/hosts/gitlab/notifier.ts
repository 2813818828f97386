import { Type } from 'typebox';
import type { Call } from '../interface/call.ts';
import type { Notifier } from '../interface/notifier.ts';
import type { RestClient } from '../rest/client.ts';
import { readPage, stepForward } from '../rest/lists.ts';
import { createIssueNotifier, type TitledIssue } from '../rest/notifier.ts';
import { toGroupId } from './actors.ts';
import { NotePayload, NotesPayload, ProjectPayload, TitledPayload } from './payloads.ts';

const IssuesPayload = Type.Array(TitledPayload);
/** The limit is a thousand notes. */
const maxNotePages = 10;

/** Creates a notifier that comments in issues with the scope `api`; undefined when there are no tokens. */
export function createNotifier(client: RestClient): Notifier | undefined {
  return createIssueNotifier(client, {
    findRepository: async (place, call) => {
      const path = `/projects/${encodeURIComponent(`${place.ownerName}/${place.repository}`)}`;
      const found = (await client.get(path, ProjectPayload, call))?.data;
      return found === undefined || toOwner(found) !== place.owner ? undefined : `/projects/${found.id}`;
    },
    listIssues: async (repository, { title, cursor }, call) => {
      const search = { state: 'opened', search: title, in: 'title' };
      const query = { ...search, order_by: 'created_at', sort: 'asc' };
      const list = { path: `${repository}/issues`, query, items: IssuesPayload };
      const step = await stepForward(client, list, { cursor, since: null }, call);
      return step && { ...step, items: step.items.map(toIssue) };
    },
    readIssue: async (issue, call) => {
      const found = (await client.get(issue, TitledPayload, call))?.data;
      return found && toIssue(found);
    },
    readComments: (issue, since, call) => readNotes(client, issue, since, call),
    addComment: (issue, body, call) => client.create(`${issue}/notes`, { body }, NotePayload, call),
  });
}

/** Reads the newest notes first, because the API has no list of notes since a time. */
async function readNotes(client: RestClient, issue: string, since: Date, call: Call): Promise<string[] | null> {
  const list = { path: `${issue}/notes`, query: { order_by: 'created_at', sort: 'desc' }, items: NotesPayload };
  const bodies: string[] = [];
  for (let number = 1; number <= maxNotePages; number += 1) {
    const page = await readPage(client, list, number, call);
    if (page === null) return null;
    bodies.push(...page.items.map(({ body }) => body));
    const oldest = page.items.at(-1);
    if (number >= page.lastPage || (oldest !== undefined && new Date(oldest.created_at) < since)) break;
  }
  return bodies;
}

/** Returns the external id of a project's owner: the user, or else the group. */
function toOwner({ owner, namespace }: ProjectPayload): string {
  return owner ? String(owner.id) : toGroupId(namespace.id);
}

function toIssue({ iid, title, state, confidential }: TitledPayload): TitledIssue {
  return { number: iid, title, isOpen: state === 'opened' && !confidential };
}
