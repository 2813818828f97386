import type { Static } from 'typebox';
import { AppError } from '../../../model/errors.ts';
import type { CheckAnnotation, FileCheck } from '../../interface/notifier.ts';
import { mayNotWrite, type Writer } from './writer.ts';
import { CheckRunPayload, CheckRunsPayload } from './writing-payloads.ts';

/** GitHub accepts 50 annotations in a request; each further request adds more. */
const annotationsAtOnce = 50;
const maxTextLength = 60_000;

/**
 * Creates a check run on a commit with all annotations. A repeated call finds the run, and continues it with the
 * annotations that are missing, unless its status is `completed`.
 * https://docs.github.com/rest/checks/runs
 */
export async function reportCheck(
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
    const body = { ...stateAfter(check, sentCount), output: outputOf(check, more) };
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
    output: outputOf(check, first),
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

function outputOf({ title, summary }: FileCheck, annotations: readonly CheckAnnotation[]): object {
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
