import { LRUCache } from 'lru-cache';
import { type Static, type TSchema, Type } from 'typebox';
import { AppError } from '../../../model/errors.ts';
import { isDenied } from '../../interface/denied.ts';
import {
  type CheckAnnotation,
  type DiscussionPlace,
  type FileCheck,
  formatMark,
  type Notifier,
} from '../../interface/notifier.ts';
import type { Call } from '../../interface/provider.ts';
import type { Secret } from '../../transport/credential.ts';
import type { Query } from '../client.ts';
import { checkPayload, classifyGraphqlErrors, GraphqlResponse } from '../failures.ts';
import { addDiscussionComment, discussionTitles, lastComments } from '../queries.ts';
import type { AppClient, AppRequest, AppResponse } from './client.ts';

const CheckRunPayload = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  status: Type.String(),
  external_id: Type.Union([Type.Null(), Type.String()]),
  output: Type.Object({ annotations_count: Type.Integer({ minimum: 0 }) }),
});

const CheckRunsPayload = Type.Object({ check_runs: Type.Array(CheckRunPayload) });

/** Sends requests as one installation. It never repeats a request, because a repeated write could take effect twice. */
class Writer {
  readonly #client: AppClient;
  readonly #secret: Secret;
  readonly #call: Call;

  constructor(client: AppClient, secret: Secret, call: Call) {
    this.#client = client;
    this.#secret = secret;
    this.#call = call;
  }

  async rest<Schema extends TSchema>(request: AppRequest, schema: Schema): Promise<AppResponse<Static<Schema>>> {
    const token = await this.#secret.get(this.#call.signal);
    this.#call.cost.requests += 1;
    try {
      return await this.#client.send({ ...request, token }, schema, this.#call.signal);
    } catch (error) {
      // The next attempt fetches another token.
      if (isDenied(error)) this.#secret.reject(token);
      throw error;
    }
  }

  /**
   * Sends a query or a mutation. Objects that GitHub does not find are null in the response.
   * @throws AppError `provider_denied`, `provider_rate_limited` or `provider_unavailable`
   */
  async graphql<Schema extends TSchema>(
    { name, text, schema }: Query<Schema>,
    variables: Record<string, unknown>,
  ): Promise<Static<Schema>> {
    const body = { query: text, variables, operationName: name };
    const response = await this.rest({ method: 'POST', path: '/graphql', body }, GraphqlResponse);
    if ('refusal' in response) throw mayNotWrite();
    const { data = null, errors = [] } = response.data;
    const trouble = classifyGraphqlErrors(errors);
    if (trouble === 'denied') throw mayNotWrite();
    if (trouble === 'limited') {
      throw new AppError('provider_rate_limited', "GitHub's request budget of the App is used up for now.");
    }
    if (trouble !== 'none') throw new AppError('provider_unavailable', 'GitHub does not do it just now.');
    return checkPayload(schema, data, name);
  }
}

/** GitHub accepts 50 annotations in a request; each further request adds more. */
const annotationsAtOnce = 50;
const maxTextLength = 60_000;

/** The most pages that are searched for a title: two thousand discussions at 100 a page. */
const maxPages = 20;
const maxRemembered = 1000;

/**
 * Creates the writer of comments and checks as the GitHub App. Comments need `discussions: write` and checks need
 * `checks: write`; no other part of the service needs these permissions.
 * @param findSecret returns the credential of the installation on an account; undefined: there is none.
 */
export function createNotifier(client: AppClient, findSecret: (account: string) => Secret | undefined): Notifier {
  const remembered = new LRUCache<string, string>({ max: maxRemembered });
  const writerFor = (account: string, call: Call): Writer => {
    const secret = findSecret(account);
    if (secret === undefined) throw new AppError('provider_denied', 'the GitHub App is not installed there');
    return new Writer(client, secret, call);
  };
  return {
    comment: async (target, { id, text }, call) => {
      const writer = writerFor(target.owner, call);
      const key = JSON.stringify(target);
      const discussion = remembered.get(key) ?? (await findDiscussion(writer, target));
      remembered.set(key, discussion);
      const mark = formatMark(id);
      const isCommented = await hasMark(writer, discussion, mark);
      if (isCommented === undefined) {
        remembered.delete(key);
        throw new AppError('not_found', 'the discussion is there no more');
      }
      if (isCommented) return;
      const added = await writer.graphql(addDiscussionComment, { id: discussion, body: `${text}\n${mark}` });
      if (!added.addDiscussionComment?.comment) throw mayNotWrite();
    },
    reportCheck: (repository, check, call) => reportCheck(writerFor(repository.owner, call), repository, check),
  };
}

/** Returns the id of the oldest discussion with the title. @throws AppError `not_found` */
async function findDiscussion(writer: Writer, { ownerName, repository, title }: DiscussionPlace): Promise<string> {
  let after: string | null = null;
  for (let page = 1; page <= maxPages; page += 1) {
    const discussions: Awaited<ReturnType<typeof readTitles>> = await readTitles(writer, {
      owner: ownerName,
      name: repository,
      after,
    });
    const { nodes, pageInfo } = discussions;
    const found = nodes.find((node) => node?.title.trim() === title.trim());
    if (found) return found.id;
    if (!pageInfo.hasNextPage) break;
    after = pageInfo.endCursor;
  }
  throw new AppError('not_found', 'there is no discussion of this title');
}

async function readTitles(writer: Writer, variables: { owner: string; name: string; after: string | null }) {
  const { repository } = await writer.graphql(discussionTitles, variables);
  if (repository === null) throw new AppError('not_found', 'there is no such repository, or the App does not see it');
  return repository.discussions;
}

/** Returns whether one of the last 100 comments contains a mark; undefined when there is no such discussion. */
async function hasMark(writer: Writer, discussion: string, mark: string): Promise<boolean | undefined> {
  const { node } = await writer.graphql(lastComments, { id: discussion });
  return node?.comments?.nodes.some((comment) => comment?.body.includes(mark));
}

/**
 * Creates a check run on a commit with all annotations. A repeated call finds the run, and continues it with the
 * annotations that are missing, unless its status is `completed`.
 * https://docs.github.com/rest/checks/runs
 */
async function reportCheck(
  writer: Writer,
  { ownerName, repository }: { ownerName: string; repository: string },
  check: FileCheck,
): Promise<void> {
  const path = `/repos/${encodeURIComponent(ownerName)}/${encodeURIComponent(repository)}`;
  const { annotations } = check;
  const found = await findRun(writer, path, check);
  if (found?.status === 'completed') return;
  const run = found ?? (await create(writer, path, check));
  let sentCount = run.output.annotations_count;
  for (let isComplete = run.status === 'completed'; !isComplete; isComplete = sentCount >= annotations.length) {
    const more = annotations.slice(sentCount, sentCount + annotationsAtOnce);
    sentCount += more.length;
    const body = { ...stateAfter(check, sentCount), output: toOutput(check, more) };
    accepted(await writer.rest({ method: 'PATCH', path: `${path}/check-runs/${run.id}`, body }, CheckRunPayload));
  }
}

async function create(writer: Writer, path: string, check: FileCheck): Promise<Static<typeof CheckRunPayload>> {
  const first = check.annotations.slice(0, annotationsAtOnce);
  const body = {
    name: check.name,
    head_sha: check.commit,
    external_id: check.id,
    ...stateAfter(check, first.length),
    output: toOutput(check, first),
  };
  return accepted(await writer.rest({ method: 'POST', path: `${path}/check-runs`, body }, CheckRunPayload));
}

async function findRun(writer: Writer, path: string, { commit, name, id }: FileCheck) {
  const query = new URLSearchParams({ check_name: name, per_page: '100' });
  const address = `${path}/commits/${encodeURIComponent(commit)}/check-runs?${query.toString()}`;
  const found = await writer.rest({ method: 'GET', path: address }, CheckRunsPayload);
  return accepted(found).check_runs.find(({ external_id: externalId }) => externalId === id);
}

function accepted<Data>(response: { data: Data } | { refusal: number }): Data {
  if ('data' in response) return response.data;
  if (response.refusal === 403 || response.refusal === 404) throw mayNotWrite();
  throw new AppError('provider_invalid_response', 'GitHub does not take the check run.');
}

function stateAfter({ annotations }: FileCheck, sentCount: number): object {
  if (sentCount < annotations.length) return { status: 'in_progress' };
  const severities = new Set(annotations.map(({ severity }) => severity));
  const conclusion = severities.has('error') ? 'failure' : severities.has('warning') ? 'neutral' : 'success';
  return { status: 'completed', conclusion };
}

function toOutput({ title, summary }: FileCheck, annotations: readonly CheckAnnotation[]): object {
  return { title, summary: summary.slice(0, maxTextLength), annotations: annotations.map(toAnnotation) };
}

/** Returns an annotation in GitHub's form: columns only within one line, and the end column included. */
function toAnnotation({ path, line, column, endLine, endColumn, severity, message }: CheckAnnotation): object {
  return {
    path,
    start_line: line,
    end_line: endLine,
    ...(line === endLine && { start_column: column, end_column: Math.max(column, endColumn - 1) }),
    annotation_level: severity === 'error' ? 'failure' : 'warning',
    message: message.slice(0, maxTextLength),
  };
}

function mayNotWrite(): AppError {
  return new AppError('provider_denied', 'the GitHub App is not allowed to write there');
}
