import { time } from '../graphql/field-request.ts';
import type { Reply } from '../refusals.ts';
import { type ResponseContext, simpleAccount } from '../rest/accounts.ts';
import { checkResponse } from '../rest/openapi.ts';
import { describeRepository } from '../rest/repositories.ts';
import { missing } from '../rest/routes.ts';
import type { App } from './app.ts';
import type { Attempt } from './deliverer.ts';
import { covers, describeInstallation, type Installation } from './installation.ts';

/** A request with its caller: the App itself (null), or one of its installations. */
interface AppRequest {
  app: App;
  context: ResponseContext;
  installation: Installation | null;
  query: URLSearchParams;
}

interface Route {
  method: string;
  path: string;
  pattern: RegExp;
  /** The kind of caller that may use the route. */
  allowedCaller: 'app' | 'installation';
  respond(request: AppRequest, parameters: string[]): Reply;
}

function route(line: string, allowedCaller: Route['allowedCaller'], respond: Route['respond']): Route {
  const [method = '', path = ''] = line.split(' ');
  return { method, path, allowedCaller, respond, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`) };
}

const routes: readonly Route[] = [
  route('GET /app', 'app', ({ app, context }) => ok(describeApp(app, context))),
  route('GET /app/installations', 'app', ({ app, context, query }) =>
    page(context, query, [...app.installations.values()], (installation) =>
      describeInstallation(context, app, installation),
    ),
  ),
  route('GET /app/installations/{installation_id}', 'app', (request, [id = '']) =>
    installationReply(request, request.app.installations.get(Number(id))),
  ),
  route('POST /app/installations/{installation_id}/access_tokens', 'app', ({ app }, [id = '']) => {
    const installation = app.installations.get(Number(id));
    if (installation === undefined) return missing;
    if (installation.suspendedAt !== null) {
      return { status: 403, body: { message: 'This installation has been suspended' } };
    }
    const { token, expiresAt } = app.issueToken(installation);
    const { permissions, selection: repository_selection } = installation;
    return { status: 201, body: { token, expires_at: time(expiresAt), permissions, repository_selection } };
  }),
  route('GET /app/hook/deliveries', 'app', ({ app, context, query }) => deliveries(app, context, query)),
  route('GET /app/hook/deliveries/{delivery_id}', 'app', ({ app }, [id = '']) => {
    const attempt = app.deliverer.attempts.find((attempt) => attempt.id === Number(id));
    return attempt === undefined ? missing : ok(attemptDetails(app, attempt));
  }),
  route('POST /app/hook/deliveries/{delivery_id}/attempts', 'app', ({ app }, [id = '']) =>
    app.deliverer.redeliver(Number(id)) ? { status: 202, body: {} } : missing,
  ),
  route('GET /installation/repositories', 'installation', ({ app, context, installation, query }) => {
    if (installation === null) return missing;
    const covered = app.covered(installation);
    const { body, ...reply } = page(context, query, covered, (entry) => describeRepository(context, entry));
    return {
      ...reply,
      body: { total_count: covered.length, repository_selection: installation.selection, repositories: body },
    };
  }),
  route('GET /repos/{owner}/{repo}/installation', 'app', (request, [owner = '', name = '']) => {
    const found = request.context.world.repository(owner, name);
    return installationReply(
      request,
      found && [...request.app.installations.values()].find((installation) => covers(installation, found)),
    );
  }),
  route('GET /orgs/{org}/installation', 'app', (request, [login = '']) =>
    installationReply(request, installationOn(request, login, 'Organization')),
  ),
  route('GET /users/{username}/installation', 'app', (request, [login = '']) =>
    installationReply(request, installationOn(request, login, 'User')),
  ),
];

/** Returns the response to a request that only an App or its installations may send; undefined for other requests. */
export function respondToApp(
  request: AppRequest & { method: string; path: string; isApp: boolean },
): Reply | undefined {
  const { method, path, isApp, installation } = request;
  for (const candidate of routes) {
    const match = candidate.method === method ? candidate.pattern.exec(path) : null;
    if (match === null) continue;
    if (candidate.allowedCaller === 'app' ? !isApp : installation === null)
      return wrongCallerReply(candidate.allowedCaller);
    const reply = candidate.respond(request, match.slice(1).map(decodeURIComponent));
    const name = method === 'GET' ? candidate.path : `${method} ${candidate.path}`;
    if (reply.status < 300) checkResponse(name, reply.body);
    return { ...reply, operation: name };
  }
  return isApp ? { status: 401, body: { message: 'A JSON web token is not for this endpoint' } } : undefined;
}

function wrongCallerReply(allowedCaller: Route['allowedCaller']): Reply {
  return allowedCaller === 'app'
    ? { status: 401, body: { message: 'A JSON web token could not be decoded' } }
    : { status: 403, body: { message: 'You must authenticate with an installation access token' } };
}

function ok(body: unknown): Reply {
  return { status: 200, body };
}

function installationReply({ app, context }: AppRequest, installation: Installation | undefined): Reply {
  return installation === undefined ? missing : ok(describeInstallation(context, app, installation));
}

function installationOn({ app, context }: AppRequest, login: string, type: string): Installation | undefined {
  const account = context.world.accountByLogin(login);
  if (account?.type !== type) return undefined;
  return [...app.installations.values()].find(({ accountId }) => accountId === account.id);
}

function describeApp(app: App, context: ResponseContext): object {
  const owner = context.world.accounts.find(({ type }) => type === 'Organization');
  const at = '2026-01-01T00:00:00Z';
  return {
    id: app.id,
    slug: app.slug,
    client_id: app.clientId,
    node_id: 'A_simulated',
    owner: owner && simpleAccount(context, owner),
    name: 'Plaudit (simulated)',
    description: 'Counts contributions.',
    external_url: context.origin,
    html_url: `${context.origin}/apps/${app.slug}`,
    created_at: at,
    updated_at: at,
    permissions: app.permissions,
    events: [...app.events],
    installations_count: app.installations.size,
  };
}

function page<Item>(
  context: ResponseContext,
  query: URLSearchParams,
  items: readonly Item[],
  toBody: (item: Item) => object,
): Reply {
  const size = Math.min(100, Number(query.get('per_page') ?? '30'));
  const number = Math.max(1, Number(query.get('page') ?? '1'));
  const body = items.slice((number - 1) * size, number * size).map(toBody);
  const isLast = number * size >= items.length;
  const next = new URLSearchParams({ per_page: String(size), page: String(number + 1) });
  const headers = isLast ? {} : { link: `<${context.apiUrl}/?${next.toString()}>; rel="next"` };
  return { status: 200, body, headers };
}

/** Lists deliveries, newest first; the cursor is the first attempt of a page. */
function deliveries(app: App, context: ResponseContext, query: URLSearchParams): Reply {
  const size = Math.min(100, Number(query.get('per_page') ?? '30'));
  const cursor = query.get('cursor');
  const newestFirst = app.deliverer.attempts.toReversed();
  const status = query.get('status');
  const listed = newestFirst.filter(
    ({ statusCode }) => status === null || (status === 'success') === (statusCode >= 200 && statusCode < 400),
  );
  const start = cursor === null ? 0 : listed.findIndex(({ id }) => cursor === `v1_${id}`);
  if (start < 0) return { status: 400, body: { message: 'Invalid cursor' } };
  const following = listed[start + size];
  const next = new URLSearchParams({ per_page: String(size), cursor: `v1_${following?.id}` });
  const link = `<${context.apiUrl}/app/hook/deliveries?${next.toString()}>; rel="next"`;
  return {
    ...ok(listed.slice(start, start + size).map(attemptSummary)),
    ...(following !== undefined && { headers: { link } }),
  };
}

function attemptSummary(attempt: Attempt): object {
  return {
    id: attempt.id,
    guid: attempt.guid,
    delivered_at: attempt.at.toISOString(),
    redelivery: attempt.isRedelivery,
    duration: attempt.durationS,
    status: attempt.status,
    status_code: attempt.statusCode,
    event: attempt.event,
    action: attempt.action,
    installation_id: attempt.installationId,
    repository_id: attempt.repositoryId,
    throttled_at: null,
  };
}

function attemptDetails(app: App, attempt: Attempt): object {
  return {
    ...attemptSummary(attempt),
    url: app.deliverer.target?.url ?? '',
    request: { headers: attempt.headers, payload: attempt.payload },
    response: { headers: {}, payload: attempt.responseBody },
  };
}
