import type { Static, TSchema } from 'typebox';
import { AppError } from '../../model/errors.ts';
import { placeIn } from '../http/checks.ts';
import type { Call, CredentialUse } from '../interface/call.ts';
import type { ReadersByClient } from '../interface/provider.ts';
import { Backoff, Credential, fingerprint, fixedSecret, Slots } from '../transport/credential.ts';
import { HostTransport } from '../transport/host-transport.ts';
import type { Headers, OnExchange, RawResponse } from '../transport/http-transport.ts';
import { believable, type LimitReport, readRetryAfter } from '../transport/limits.ts';
import type { OAuthClient } from '../transport/oauth.ts';
import { RequestScheduler } from '../transport/request-scheduler.ts';
import { checkPayload, invalid, parsePayload, unavailable } from './checks.ts';

/** The differences between hosts with a REST API of numbered pages, as far as requests go. */
export interface Dialect {
  /** The beginning of every path of the API, also in redirects. */
  apiPath: string;
  /** The parameter for the size of a page, and the greatest size that is requested. */
  pageSize: { parameter: string; most: number };
  /** The header with the length of a list; not every list has it. */
  totalHeader: string;
  /** @param secret of a token; undefined: the request is sent without one. */
  requestHeaders: (secret: string | undefined) => Record<string, string>;
  /** The scopes that a token lacks, in the host's words; undefined when the host refused for another reason. */
  missingScopes: (text: string) => string | undefined;
  /**
   * True when the host limits single endpoints, too, and then names no time. A refusal without a time says nothing
   * about other endpoints.
   */
  limitsEndpoints: boolean;
  /** Reads the host's rate limit from a response; undefined: the response does not state it. */
  limitReport: (headers: Headers) => LimitReport | undefined;
}

/** The limits are low, because self-hosted code hosts are often small machines. */
const slotLimits = { all: 6, background: 3, waiting: 1000 };

/** A configured token, or its absence. */
class Token extends Credential {
  /** Undefined: there is no token. */
  readonly value: string | undefined;

  constructor(value: string | undefined, host: { slots: Slots; backoff: Backoff }) {
    const [secret, name] = value === undefined ? [undefined, ''] : [fixedSecret(value), fingerprint(value)];
    super({ ...host, secret, name });
    this.value = value;
  }
}

/** The tokens of one host, which share its slots, and its backoff after a refusal. */
class Credentials {
  readonly tokens: readonly Token[];
  readonly #anonymous: Token;

  constructor(secrets: readonly string[]) {
    const host = { slots: new Slots(slotLimits), backoff: new Backoff() };
    this.tokens = secrets.map((secret) => new Token(secret, host));
    this.#anonymous = secrets.length === 0 ? new Token(undefined, host) : new AnonymousBesideTokens(host);
  }

  uses(now: Date): CredentialUse[] {
    if (this.tokens.length === 0) return [{ kind: 'none', ...this.#anonymous.use(now) }];
    return this.tokens.map((token) => ({ kind: 'token', ...token.use(now) }));
  }

  /** Returns the tokens for a request in the order of the settings. */
  candidates({ credentialName }: Pick<Call, 'credentialName'>, isAnonymous: boolean): readonly Token[] {
    if (isAnonymous || (this.tokens.length === 0 && credentialName === undefined)) return [this.#anonymous];
    return this.tokens.filter((token) => credentialName === undefined || token.name === credentialName);
  }
}

/**
 * Requests without a token at a host that has tokens. Their refusals do not concern requests with a token, but they
 * wait while the host refuses all.
 */
class AnonymousBesideTokens extends Token {
  readonly #hostBackoff: Backoff;

  constructor({ slots, backoff }: { slots: Slots; backoff: Backoff }) {
    super(undefined, { slots, backoff: new Backoff() });
    this.#hostBackoff = backoff;
  }

  override freeAt(resource: string, urgency: Call['urgency'], now: Date): Date {
    const free = super.freeAt(resource, urgency, now);
    return free > this.#hostBackoff.until ? free : this.#hostBackoff.until;
  }
}

export interface ClientOptions {
  url: string;
  apiUrl: string;
  tokens: readonly string[];
  /** Shorter than the time that a caller waits, so that a dead network is distinguishable from a slow response. */
  connectTimeoutMs: number;
  onExchange?: OnExchange | undefined;
  now: () => Date;
}

/** The options of a provider for a host with a REST API. */
export interface RestHostOptions extends ClientOptions {
  name: string;
  /** Undefined: the service accepts no deliveries of the host. */
  webhookSecret: string | undefined;
  /** Undefined: people cannot sign in with the host. */
  oauth?: OAuthClient | undefined;
}

interface HostResponse<Schema extends TSchema> {
  data: Static<Schema>;
  /** Length of the list in the response, including items that cannot be read; 0 where it is no list. */
  listed: number;
  headers: Headers;
}

export interface RequestOptions {
  /** Sends the request without a token. */
  isAnonymous?: boolean;
}

interface RestRequest extends RequestOptions {
  /** A path of the API, or an absolute address outside of it. */
  path: string;
  /** Sent as JSON; undefined: the request has no body. */
  body?: object;
  /**
   * The request changes something. It is sent once, because it may have had its effect even where no response arrives.
   */
  isWriting?: boolean;
}

/** The wait after an endpoint with a limit of its own refused a request without naming a time, in ms. */
const endpointBackoffMs = 60_000;
const limits = { responseTimeoutMs: 20_000, maxResponseBytes: 32 * 1024 * 1024 };
/** Each host has one limit for all of its API, so one quota is kept for it. */
const resource = 'api';

/** The messages of refusals that are recorded. They name no person and no repository. */
const publicRefusals = /"message"\s*:\s*"(403 Forbidden|Only signed in user is allowed to call APIs)/;

/** The error when the host accepts the token, but the token lacks a scope for this request. */
export class MissingScope extends AppError {
  constructor(scopes: string) {
    super('provider_denied', `The code host wants the scope ${scopes} of the configured token.`);
  }
}

/** The functions that read from a host with a REST API. */
export type RestReaders = ReadersByClient<RestClient>;

/** Calls a REST API: sends few requests at once, obeys rate limits and checks every response. */
export class RestClient {
  readonly dialect: Dialect;
  readonly credentials: Credentials;
  readonly now: () => Date;
  /** The address of the host's website. */
  readonly url: string;
  readonly #options: ClientOptions;
  readonly #transport: HostTransport<Token>;

  constructor(options: ClientOptions, dialect: Dialect) {
    const { url, tokens, connectTimeoutMs, onExchange, now } = options;
    this.#options = options;
    this.dialect = dialect;
    this.now = now;
    this.url = url;
    this.credentials = new Credentials(tokens);
    this.#transport = new HostTransport({
      limits: { ...limits, connectTimeoutMs, onExchange },
      scheduler: new RequestScheduler({ now, limited, denied: refused }),
      now,
      rules: {
        redirectTo: (target) => this.#redirectTarget(target),
        recordLimits: (token, _resource, { headers }) => this.#recordLimits(token, headers),
        isLimited: ({ status, headers }) => isLimited(status, headers),
        block: (token, { headers }) => this.#block(token, headers),
        garbled,
        unavailable,
      },
    });
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Returns the address of a path of the host that is not below the API. */
  besideApi(path: string): string {
    const { apiUrl } = this.#options;
    const { apiPath } = this.dialect;
    const base = apiUrl.endsWith(apiPath) ? apiUrl.slice(0, -apiPath.length) : new URL(apiUrl).origin;
    return `${base}${path}`;
  }

  /** @returns null when the host has nothing at this path, or does not show it. */
  get<Schema extends TSchema>(
    path: string,
    schema: Schema,
    call: Call,
    options: RequestOptions = {},
  ): Promise<HostResponse<Schema> | null> {
    return this.#send({ path, ...options }, schema, call);
  }

  /** Sends a POST request that changes nothing, to an address outside of the API. */
  post<Schema extends TSchema>(
    address: string,
    body: object,
    schema: Schema,
    call: Call,
  ): Promise<HostResponse<Schema> | null> {
    return this.#send({ path: address, body }, schema, call);
  }

  /**
   * Creates something at the host. The request is sent once: where no response arrives, look for the result before a
   * retry.
   * @returns null when the host has no such path, or does not show it.
   */
  create<Schema extends TSchema>(
    path: string,
    body: object,
    schema: Schema,
    call: Call,
  ): Promise<HostResponse<Schema> | null> {
    return this.#send({ path, body, isWriting: true }, schema, call);
  }

  #send<Schema extends TSchema>(
    request: RestRequest,
    schema: Schema,
    call: Call,
  ): Promise<HostResponse<Schema> | null> {
    const { path, body, isAnonymous = false, isWriting = false } = request;
    return this.#transport.send(
      {
        address: path.startsWith('/') ? `${this.#options.apiUrl}${path}` : path,
        body: body && JSON.stringify(body),
        resource,
        candidates: () => this.credentials.candidates(call, isAnonymous),
        headers: this.dialect.requestHeaders,
        isWriting,
        read: (raw) => this.#read(raw, schema, request, call),
      },
      call,
    );
  }

  #recordLimits(token: Token, headers: Headers): void {
    const report = this.dialect.limitReport(headers);
    if (report !== undefined)
      token.updateQuota(resource, { ...report, resetAt: believable(report.resetAt, this.now()) });
  }

  #block(token: Token, headers: Headers): void {
    const now = this.now();
    const until = readRetryAfter(headers, now);
    if (until === undefined && this.dialect.limitsEndpoints) {
      throw limited(new Date(now.getTime() + endpointBackoffMs));
    }
    token.backoff.block(until, now);
  }

  /**
   * Returns the target of a redirect when it is in the same API; a token is sent nowhere else. Hosts write their public
   * address, also in responses to requests at another address.
   */
  #redirectTarget(target: URL): URL | undefined {
    const { url, apiUrl } = this.#options;
    if (target.origin !== new URL(apiUrl).origin && target.origin !== new URL(url).origin) return undefined;
    const { apiPath } = this.dialect;
    const begin = target.pathname.indexOf(`${apiPath}/`);
    if (begin < 0) return undefined;
    return new URL(`${apiUrl}${target.pathname.slice(begin + apiPath.length)}${target.search}`);
  }

  #read<Schema extends TSchema>(
    { status, headers, text }: RawResponse,
    schema: Schema,
    { path, isWriting = false }: RestRequest,
    call: Call,
  ): HostResponse<Schema> | null {
    if (status === 404 || status === 410) return null;
    // Status 409: the repository is empty (go-gitea/gitea, routers/api/v1/repo/commits.go).
    if (status === 409 && !isWriting) return null;
    if (status >= 500) throw unavailable();
    if (status === 401) throw new AppError('provider_denied', 'The code host does not respond without a token.');
    if (status === 403) throw this.#denied(text);
    if (status === 451) throw new AppError('provider_denied', 'The code host withholds it for legal reasons.');
    if (status === 423) throw new AppError('provider_denied', 'The code host lets nothing be written there.');
    if (status !== (isWriting ? 201 : 200)) throw invalid(`it has the status ${status}`);
    const payload = parsePayload(text, this.url);
    const listed = Array.isArray(payload) ? payload.length : 0;
    return { data: checkPayload(schema, payload, toName(path), call), listed, headers };
  }

  #denied(text: string): AppError {
    const scopes = this.dialect.missingScopes(text);
    if (scopes !== undefined) return new MissingScope(scopes);
    const [, reason] = publicRefusals.exec(text.slice(0, 2000)) ?? [];
    return new AppError('provider_denied', 'The code host denies access with the configured token.', { reason });
  }
}

/** Returns the path of a request for messages, also of an address beside the interface. */
function toName(path: string): string {
  return placeIn(path.startsWith('/') ? path : new URL(path).pathname);
}

function garbled(error: unknown): AppError | undefined {
  return error instanceof AppError && error.code === 'provider_invalid_response' ? error : undefined;
}

function refused(): AppError {
  return new AppError('provider_denied', 'The code host does not accept the configured token.');
}

function limited(retryAt: Date): AppError {
  return new AppError('provider_rate_limited', 'Rate limited by the code host. Retry later.', { retryAt });
}

/** Returns whether the host, or a proxy in front of it, limits the rate of requests. */
export function isLimited(status: number, headers: Headers): boolean {
  return status === 429 || (status === 503 && headers['retry-after'] !== undefined);
}
