import type { Repository } from '../../world/model.ts';
import { time } from '../graphql/field-request.ts';
import type { Reply } from '../refusals.ts';
import type { ResponseContext } from '../rest/accounts.ts';
import { missing } from '../rest/routes.ts';
import { covers, type Installation } from './installation.ts';

/** Check runs as GitHub documents them: https://docs.github.com/rest/checks/runs */

export interface Annotation {
  path: string;
  start_line: number;
  end_line: number;
  start_column?: number;
  end_column?: number;
  annotation_level: 'notice' | 'warning' | 'failure';
  message: string;
}

export interface CheckRun {
  id: number;
  repository: Repository;
  name: string;
  headSha: string;
  externalId: string;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: string | null;
  title: string;
  summary: string;
  annotations: Annotation[];
  startedAt: Date;
  completedAt: Date | null;
}

interface CheckRequest {
  context: ResponseContext;
  installation: Installation;
  runs: CheckRun[];
  method: string;
  path: string;
  query: URLSearchParams;
  body: string;
}

const patterns = {
  create: /^\/repos\/([^/]+)\/([^/]+)\/check-runs$/,
  update: /^\/repos\/([^/]+)\/([^/]+)\/check-runs\/(\d+)$/,
  list: /^\/repos\/([^/]+)\/([^/]+)\/commits\/([^/]+)\/check-runs$/,
};
const maxAnnotations = 50;
const statuses = ['queued', 'in_progress', 'completed'];
const conclusions = ['action_required', 'cancelled', 'failure', 'neutral', 'success', 'skipped', 'stale', 'timed_out'];

/** Returns the response to a request about check runs, undefined for other requests. */
export function respondToChecks(request: CheckRequest): Reply | undefined {
  const { method, path } = request;
  const kind = method === 'POST' ? 'create' : method === 'PATCH' ? 'update' : method === 'GET' ? 'list' : undefined;
  const match = kind && patterns[kind].exec(path);
  if (kind === undefined || !match) return undefined;
  const [owner = '', name = '', target = ''] = match.slice(1).map(decodeURIComponent);
  const { context, installation } = request;
  const repository = context.world.repository(owner, name);
  if (repository === undefined || !covers(installation, repository)) return missing;
  const granted = installation.permissions.checks;
  if (kind === 'list') return granted === undefined ? notAllowed() : list(request, repository, target);
  if (granted !== 'write') return notAllowed();
  const body = JSON.parse(request.body) as Record<string, unknown>;
  return kind === 'create' ? create(request, repository, body) : update(request, repository, Number(target), body);
}

function notAllowed(): Reply {
  return { status: 403, body: { message: 'Resource not accessible by integration' } };
}

function invalid(message: string): Reply {
  return { status: 422, body: { message: 'Validation Failed', errors: [message] } };
}

function list({ runs, query }: CheckRequest, repository: Repository, ref: string): Reply {
  const named = query.get('check_name');
  const found = runs.filter(
    (run) => run.repository === repository && run.headSha === ref && (named === null || run.name === named),
  );
  const size = Math.min(100, Number(query.get('per_page') ?? '30'));
  return { status: 200, body: { total_count: found.length, check_runs: found.slice(0, size).map(describeRun) } };
}

function create({ context, runs }: CheckRequest, repository: Repository, body: Record<string, unknown>): Reply {
  const { name, head_sha: headSha, external_id: externalId = '' } = body;
  if (typeof name !== 'string' || name === '') return invalid('name is missing');
  if (!repository.commits.some(({ oid }) => oid === headSha)) return invalid('No commit found for SHA');
  const now = context.world.now();
  const run: CheckRun = {
    id: context.world.newId(),
    repository,
    name,
    headSha: String(headSha),
    externalId: String(externalId),
    status: 'queued',
    conclusion: null,
    title: '',
    summary: '',
    annotations: [],
    startedAt: now,
    completedAt: null,
  };
  const refusal = apply(run, body, now);
  if (refusal !== undefined) return refusal;
  runs.push(run);
  return { status: 201, body: describeRun(run) };
}

function update(
  { context, runs }: CheckRequest,
  repository: Repository,
  id: number,
  body: Record<string, unknown>,
): Reply {
  const run = runs.find((run) => run.id === id && run.repository === repository);
  if (run === undefined) return missing;
  return apply(run, body, context.world.now()) ?? { status: 200, body: describeRun(run) };
}

/** Applies the body of a request to a run; annotations are added to the existing ones. */
function apply(run: CheckRun, body: Record<string, unknown>, now: Date): Reply | undefined {
  const { status = run.status, conclusion = run.conclusion } = body;
  if (!statuses.some((candidate) => candidate === status))
    return invalid(`status ${JSON.stringify(status)} is not known`);
  if (conclusion !== null && !conclusions.some((candidate) => candidate === conclusion)) {
    return invalid(`conclusion ${JSON.stringify(conclusion)} is not known`);
  }
  if (status === 'completed' && conclusion === null) return invalid('a completed check run needs a conclusion');
  const output = (body['output'] ?? {}) as { title?: unknown; summary?: unknown; annotations?: Annotation[] };
  const { title, summary, annotations = [] } = output;
  if (body['output'] !== undefined && (typeof title !== 'string' || typeof summary !== 'string')) {
    return invalid('output needs a title and a summary');
  }
  if (annotations.length > maxAnnotations) return invalid(`output has more than ${maxAnnotations} annotations`);
  const faulty = annotations.find((annotation) => !isAnnotation(annotation));
  if (faulty !== undefined) return invalid(`an annotation is not as documented: ${JSON.stringify(faulty)}`);
  run.annotations.push(...annotations);
  Object.assign(run, {
    status,
    conclusion,
    ...(title !== undefined && { title, summary }),
    completedAt: status === 'completed' ? now : null,
  });
  return undefined;
}

function isLine(line: unknown): boolean {
  return Number.isInteger(line) && Number(line) >= 1;
}

function isAnnotation(annotation: Annotation): boolean {
  const hasColumns = annotation.start_column !== undefined || annotation.end_column !== undefined;
  return (
    typeof annotation.path === 'string' &&
    !annotation.path.startsWith('/') &&
    isLine(annotation.start_line) &&
    isLine(annotation.end_line) &&
    annotation.end_line >= annotation.start_line &&
    (!hasColumns ||
      (annotation.start_line === annotation.end_line &&
        isLine(annotation.start_column) &&
        isLine(annotation.end_column))) &&
    ['notice', 'warning', 'failure'].includes(annotation.annotation_level) &&
    typeof annotation.message === 'string' &&
    annotation.message !== ''
  );
}

function describeRun(run: CheckRun): object {
  return {
    id: run.id,
    name: run.name,
    node_id: `CR_${run.id}`,
    head_sha: run.headSha,
    external_id: run.externalId,
    status: run.status,
    conclusion: run.conclusion,
    started_at: time(run.startedAt),
    completed_at: time(run.completedAt),
    output: {
      title: run.title,
      summary: run.summary,
      text: null,
      annotations_count: run.annotations.length,
    },
  };
}
