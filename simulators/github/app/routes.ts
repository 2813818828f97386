import { time } from '../graphql/field-request.ts';
import type { Reply } from '../refusals.ts';
import { type Place, simpleAccount } from '../rest/accounts.ts';
import { checkResponse } from '../rest/openapi.ts';
import { repository } from '../rest/repositories.ts';
import { missing } from '../rest/routes.ts';
import type { App } from './app.ts';
import type { Attempt } from './deliverer.ts';
import { covers, describeInstallation, type Installation } from './installation.ts';

/** A request with its caller: the App itself (null), or one of its installations. */
interface AppRequest {
  app: App;
  place: Place;
  installation: Installation | null;
  query: URLSearchParams;
}

interface Route {
  method: string;
  path: string;
  pattern: RegExp;
  /** The kind of caller that may use the route. */
  by: 'app' | 'installation';
  respond(context: AppRequest, parameters: string[]): Reply;
}

function route(line: string, by: Route['by'], respond: Route['respond']): Route {
  const [method = '', path = ''] = line.split(' ');
  return { method, path, by, respond, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`) };
}

const routes: readonly Route[] = [
  route('GET /app', 'app', ({ app, place }) => ok(describeApp(app, place))),
  route('GET /app/installations', 'app', ({ app, place, query }) =>
    page(place, query, [...app.installations.values()], (one) => describeInstallation(place, app, one)),
  ),
  route('GET /app/installations/{installation_id}', 'app', (context, [id = '']) =>
    installationReply(context, context.app.installations.get(Number(id))),
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
  route('GET /app/hook/deliveries', 'app', ({ app, place, query }) => deliveries(app, place, query)),
  route('GET /app/hook/deliveries/{delivery_id}', 'app', ({ app }, [id = '']) => {
    const attempt = app.deliverer.attempts.find((one) => one.id === Number(id));
    return attempt === undefined ? missing : ok(wholeAttempt(app, attempt));
  }),
  route('POST /app/hook/deliveries/{delivery_id}/attempts', 'app', ({ app }, [id = '']) =>
    app.deliverer.redeliver(Number(id)) ? { status: 202, body: {} } : missing,
  ),
  route('GET /installation/repositories', 'installation', ({ app, place, installation, query }) => {
    if (installation === null) return missing;
    const covered = app.covered(installation);
    const { body, ...reply } = page(place, query, covered, (one) => repository(place, one));
    return {
      ...reply,
      body: { total_count: covered.length, repository_selection: installation.selection, repositories: body },
    };
  }),
  route('GET /repos/{owner}/{repo}/installation', 'app', (context, [owner = '', name = '']) => {
    const found = context.place.world.repository(owner, name);
    return installationReply(
      context,
      found && [...context.app.installations.values()].find((one) => covers(one, found)),
    );
  }),
  route('GET /orgs/{org}/installation', 'app', (context, [login = '']) =>
    installationReply(context, on(context, login, 'Organization')),
  ),
  route('GET /users/{username}/installation', 'app', (context, [login = '']) =>
    installationReply(context, on(context, login, 'User')),
  ),
];

/** Returns the response to a request that only an App or its installations may send; undefined for other requests. */
export function respondToApp(
  context: AppRequest & { method: string; path: string; isApp: boolean },
): Reply | undefined {
  const { method, path, isApp, installation } = context;
  for (const candidate of routes) {
    const match = candidate.method === method ? candidate.pattern.exec(path) : null;
    if (match === null) continue;
    if (candidate.by === 'app' ? !isApp : installation === null) return notForThese(candidate.by);
    const reply = candidate.respond(context, match.slice(1).map(decodeURIComponent));
    const name = method === 'GET' ? candidate.path : `${method} ${candidate.path}`;
    if (reply.status < 300) checkResponse(name, reply.body);
    return { ...reply, operation: name };
  }
  return isApp ? { status: 401, body: { message: 'A JSON web token is not for this endpoint' } } : undefined;
}

function notForThese(by: Route['by']): Reply {
  return by === 'app'
    ? { status: 401, body: { message: 'A JSON web token could not be decoded' } }
    : { status: 403, body: { message: 'You must authenticate with an installation access token' } };
}

function ok(body: unknown): Reply {
  return { status: 200, body };
}

function installationReply({ app, place }: AppRequest, installation: Installation | undefined): Reply {
  return installation === undefined ? missing : ok(describeInstallation(place, app, installation));
}

function on({ app, place }: AppRequest, login: string, type: string): Installation | undefined {
  const account = place.world.accountByLogin(login);
  if (account?.type !== type) return undefined;
  return [...app.installations.values()].find(({ accountId }) => accountId === account.id);
}

function describeApp(app: App, place: Place): object {
  const owner = place.world.accounts.find(({ type }) => type === 'Organization');
  const at = '2026-01-01T00:00:00Z';
  return {
    id: app.id,
    slug: app.slug,
    client_id: app.clientId,
    node_id: 'A_simulated',
    owner: owner && simpleAccount(place, owner),
    name: 'Plaudit (simulated)',
    description: 'Counts contributions.',
    external_url: place.origin,
    html_url: `${place.origin}/apps/${app.slug}`,
    created_at: at,
    updated_at: at,
    permissions: app.permissions,
    events: [...app.events],
    installations_count: app.installations.size,
  };
}

function page<Item>(
  place: Place,
  query: URLSearchParams,
  items: readonly Item[],
  toBody: (item: Item) => object,
): Reply {
  const size = Math.min(100, Number(query.get('per_page') ?? '30'));
  const number = Math.max(1, Number(query.get('page') ?? '1'));
  const body = items.slice((number - 1) * size, number * size).map(toBody);
  const isLast = number * size >= items.length;
  const next = new URLSearchParams({ per_page: String(size), page: String(number + 1) });
  const headers = isLast ? {} : { link: `<${place.apiUrl}/?${next.toString()}>; rel="next"` };
  return { status: 200, body, headers };
}

/** Lists deliveries, newest first; the cursor is the first attempt of a page. */
function deliveries(app: App, place: Place, query: URLSearchParams): Reply {
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
  const link = `<${place.apiUrl}/app/hook/deliveries?${next.toString()}>; rel="next"`;
  return {
    ...ok(listed.slice(start, start + size).map(briefAttempt)),
    ...(following !== undefined && { headers: { link } }),
  };
}

function briefAttempt(attempt: Attempt): object {
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

function wholeAttempt(app: App, attempt: Attempt): object {
  return {
    ...briefAttempt(attempt),
    url: app.deliverer.target?.url ?? '',
    request: { headers: attempt.headers, payload: attempt.payload },
    response: { headers: {}, payload: attempt.responseBody },
  };
}
