import { type Static, type TSchema, Type } from 'typebox';
import { AppError } from '../../../model/errors.ts';
import { unlessDenied } from '../../interface/denied.ts';
import type {
  AttemptPage,
  CoveredPage,
  InstallableApp,
  Installation,
  UsableInstallation,
} from '../../interface/installation.ts';
import type { Notifier } from '../../interface/notifier.ts';
import type { Call } from '../../interface/provider.ts';
import type { Secret } from '../../transport/credential.ts';
import { type Credentials, Token } from '../credentials.ts';
import { AppClient, type AppClientOptions, type AppRequest, unknownApp } from './client.ts';
import { createNotifier } from './notifier.ts';
import { missingPermissions, toCredentialName } from './registration.ts';

const Id = Type.Integer({ minimum: 1 });
const Time = Type.String({ minLength: 20, maxLength: 40 });

const InstallationPayload = Type.Object({
  id: Id,
  // An enterprise has no login, and owns no repositories.
  account: Type.Union([Type.Null(), Type.Object({ id: Id, login: Type.Optional(Type.String()) })]),
  target_type: Type.String(),
  repository_selection: Type.String(),
  permissions: Type.Record(Type.String(), Type.String()),
  suspended_at: Type.Optional(Type.Union([Type.Null(), Time])),
});
type InstallationPayload = Static<typeof InstallationPayload>;
const InstallationsPayload = Type.Array(InstallationPayload);

/** https://docs.github.com/rest/apps/apps#get-the-authenticated-app */
const AppPayload = Type.Object({
  slug: Type.Optional(Type.String()),
  name: Type.String(),
  // Enterprises have no login.
  owner: Type.Optional(Type.Union([Type.Null(), Type.Object({ login: Type.Optional(Type.String()) })])),
  permissions: Type.Record(Type.String(), Type.String()),
  events: Type.Array(Type.String()),
});

const InstallationTokenPayload = Type.Object({
  token: Type.String({ minLength: 1 }),
  expires_at: Time,
  permissions: Type.Optional(Type.Record(Type.String(), Type.String())),
});

const CoveredPayload = Type.Object({
  total_count: Type.Integer({ minimum: 0 }),
  repositories: Type.Array(Type.Object({ id: Id })),
});

const AttemptsPayload = Type.Array(
  Type.Object({
    // GitHub's ids are still below 2^53, up to which numbers are exact.
    id: Id,
    guid: Type.String({ minLength: 1 }),
    delivered_at: Time,
    status_code: Type.Integer(),
  }),
);

/** A response whose content is not read. */
const AnyPayload = Type.Unknown();

/** The rest of a token's life, of an hour, at which a new one is requested: enough for the longest job. */
const renewBeforeMs = 15 * 60_000;
/** When a new token cannot be fetched, the old one is used until a minute before its end. */
const lastUseBeforeMs = 60_000;
/** The age, in ms, below which a refused token is not replaced, because GitHub would refuse a new one too. */
const youthMs = 60_000;
/** The limit for a request for a token. It has no caller's signal, because further callers may wait for its result. */
const makingTimeoutMs = 20_000;

interface IssuedToken {
  secret: string;
  createdAt: number;
  endsAt: number;
  /** `read`, `write` or `admin`, by name of permission. */
  permissions: Readonly<Record<string, string>>;
}

/** The tokens of one installation, each replaced by a new one before it expires. */
class InstallationTokens implements Secret {
  readonly #client: AppClient;
  readonly #path: string;
  readonly #now: () => Date;
  #token: IssuedToken | undefined;
  #making: Promise<IssuedToken> | undefined;

  constructor(client: AppClient, installation: string, now: () => Date) {
    this.#client = client;
    this.#path = `/app/installations/${installation}/access_tokens`;
    this.#now = now;
  }

  /**
   * Returns a valid token. While no new one can be fetched, returns the old one until a minute before its end.
   * @throws AppError `provider_denied` when the installation is suspended or removed, or GitHub rejects the App.
   */
  async get(signal: AbortSignal): Promise<string> {
    const token = this.#token;
    const leftMs = (token?.endsAt ?? 0) - this.#now().getTime();
    if (token !== undefined && leftMs > renewBeforeMs) return token.secret;
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    try {
      return (await orAborted(this.#making, signal)).secret;
    } catch (error) {
      const isPassing = error instanceof AppError && error.code !== 'provider_denied';
      if (isPassing && token !== undefined && leftMs > lastUseBeforeMs) return token.secret;
      throw error;
    }
  }

  /** Returns the permissions of the current token: `read`, `write` or `admin`, by name. */
  async permissions(signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    await this.get(signal);
    return this.#token?.permissions ?? {};
  }

  reject(secret: string): boolean {
    // The token was replaced already, after another request had rejected it.
    if (this.#token?.secret !== secret) return true;
    const { createdAt } = this.#token;
    this.#token = undefined;
    return this.#now().getTime() - createdAt > youthMs;
  }

  async #make(): Promise<IssuedToken> {
    const response = await this.#client.send(
      { method: 'POST', path: this.#path },
      InstallationTokenPayload,
      AbortSignal.timeout(makingTimeoutMs),
    );
    if ('refusal' in response)
      throw new AppError('provider_denied', 'The installation of the App is suspended or was removed.');
    const token = {
      secret: response.data.token,
      createdAt: this.#now().getTime(),
      endsAt: Date.parse(response.data.expires_at),
      permissions: response.data.permissions ?? {},
    };
    this.#token = token;
    return token;
  }
}

const perPage = 100;
/** A limit against endless lists: 100,000 installations at 100 a page. */
const maxPages = 1000;

/** The registration of an App at GitHub. */
interface AppFacts {
  slug: string;
  owner: string | null;
  /** `read`, `write` or `admin`, by name of permission. */
  permissions: Readonly<Record<string, string>>;
  events: readonly string[];
}

/** Reads as the GitHub App: its installations, the repositories that they cover, and GitHub's delivery attempts. */
export class GitHubApp implements InstallableApp {
  readonly #client: AppClient;
  readonly #credentials: Credentials;
  readonly #now: () => Date;
  readonly takesDeliveries: boolean;
  readonly notifier: Notifier;
  #used = new Map<string, Token>();
  #botName: string | undefined;

  /** @param options.webhookSecret undefined: deliveries are not accepted. */
  constructor(options: AppClientOptions & { webhookSecret: string | undefined }, credentials: Credentials) {
    this.#client = new AppClient(options);
    this.#credentials = credentials;
    this.#now = options.now;
    this.takesDeliveries = options.webhookSecret !== undefined;
    const tokenOn = (account: string) => [...this.#used.values()].find((token) => token.account === account);
    this.notifier = createNotifier(this.#client, (account) => tokenOn(account)?.secret);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  /** Returns the name of the bot account with which the App comments; undefined when GitHub does not show it. */
  async botName(call: Call): Promise<string | undefined> {
    if (this.#botName !== undefined) return this.#botName;
    const request = this.#send({ method: 'GET', path: '/app' }, AppPayload, call);
    // An App that GitHub does not know cannot comment, and must not stop reading with tokens.
    const response = await request.catch(unlessDenied(undefined));
    const slug = response !== undefined && 'data' in response ? response.data.slug : undefined;
    this.#botName = slug && `${slug}[bot]`;
    return this.#botName;
  }

  /**
   * Reads the App's registration.
   * @throws AppError `provider_denied` when GitHub does not accept the App's id and key.
   */
  async identify(call: Call): Promise<AppFacts> {
    const response = await this.#send({ method: 'GET', path: '/app' }, AppPayload, call);
    if ('refusal' in response) throw unknownApp();
    const { slug, name, owner, permissions, events } = response.data;
    return { slug: slug ?? name, owner: owner?.login ?? null, permissions, events };
  }

  async installations(call: Call): Promise<Installation[]> {
    const found: Installation[] = [];
    for (let page = 1; page <= maxPages; page += 1) {
      const path = `/app/installations?per_page=${perPage}&page=${page}`;
      const response = await this.#send({ method: 'GET', path }, InstallationsPayload, call);
      if ('refusal' in response) throw unknownApp();
      found.push(...response.data.flatMap(toInstallation));
      if (response.data.length < perPage) return found;
    }
    throw new AppError('provider_invalid_response', 'GitHub lists installations without an end.');
  }

  async coveredRepositories(
    { externalId, account }: Pick<Installation, 'externalId' | 'account'>,
    cursor: string | null,
    call: Call,
  ): Promise<CoveredPage> {
    const page = Number(cursor ?? '1');
    const path = `/installation/repositories?per_page=${perPage}&page=${page}`;
    const credential = this.#used.get(externalId) ?? this.#credential({ externalId, account: account.externalId });
    const token = await credential.secret?.get(call.signal);
    if (token === undefined) throw refused();
    const response = await this.#send({ method: 'GET', path, token }, CoveredPayload, call);
    if ('refusal' in response) throw refused();
    const { repositories, total_count: total } = response.data;
    // An incomplete list must not remove the repositories that it leaves out.
    if (repositories.length < Math.min(perPage, total - (page - 1) * perPage)) {
      throw new AppError('provider_unavailable', 'GitHub does not list all of an installation just now.');
    }
    return {
      repositories: repositories.map(({ id }) => String(id)),
      nextCursor: page * perPage >= total ? null : String(page + 1),
    };
  }

  use(installations: readonly UsableInstallation[]): void {
    // Installations that remain keep their token objects, which hold the known quota.
    this.#used = new Map(
      installations.map((installation) => [
        installation.externalId,
        this.#used.get(installation.externalId) ?? this.#credential(installation),
      ]),
    );
    this.#credentials.grant([...this.#used.values()]);
  }

  /** Returns whether an installation is in use. */
  isUsed(installation: string): boolean {
    return this.#used.has(installation);
  }

  /**
   * Returns the credential name of an organization's installation that may read its members; undefined when there is
   * none. GitHub does not refuse a request for members without this permission, but shows only public members.
   */
  async membersCredentialName(organization: string, signal: AbortSignal): Promise<string | undefined> {
    const token = [...this.#used.values()].find(({ account }) => account === organization);
    if (!(token?.secret instanceof InstallationTokens)) return undefined;
    const permissions = await token.secret.permissions(signal).catch(unlessDenied(undefined));
    return permissions?.['members'] === undefined ? undefined : token.name;
  }

  async attempts(cursor: string | null, call: Call): Promise<AttemptPage> {
    const from = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `/app/hook/deliveries?per_page=${perPage}${from}`;
    const response = await this.#send({ method: 'GET', path }, AttemptsPayload, call);
    if ('refusal' in response) throw new AppError('not_found', 'GitHub does not know this place among its deliveries.');
    const attempts = response.data.map(({ id, guid, delivered_at, status_code }) => ({
      id: String(id),
      delivery: guid,
      at: new Date(delivered_at),
      hasArrived: status_code >= 200 && status_code < 300,
    }));
    return { attempts, nextCursor: attempts.length === 0 ? null : nextCursor(response.link) };
  }

  async redeliver(attempt: string, call: Call): Promise<boolean> {
    const response = await this.#send(
      { method: 'POST', path: `/app/hook/deliveries/${attempt}/attempts` },
      AnyPayload,
      call,
    );
    return 'data' in response;
  }

  #credential({ externalId, account }: UsableInstallation): Token {
    const secret = new InstallationTokens(this.#client, externalId, this.#now);
    return new Token({ secret, label: `installation ${externalId}`, name: toCredentialName(externalId), account });
  }

  #send<Schema extends TSchema>(request: AppRequest, schema: Schema, call: Call) {
    call.cost.requests += 1;
    return this.#client.send(request, schema, call.signal);
  }
}

/** Converts an installation; returns an empty list for an enterprise's, because an enterprise owns no repositories. */
function toInstallation(payload: InstallationPayload): Installation[] {
  const { account, target_type: type } = payload;
  if (account?.login === undefined || (type !== 'User' && type !== 'Organization')) return [];
  const externalId = String(payload.id);
  return [
    {
      externalId,
      credentialName: toCredentialName(externalId),
      account: { externalId: String(account.id), name: account.login },
      covers: payload.repository_selection === 'all' ? 'all' : 'selected',
      suspendedAt: payload.suspended_at ? new Date(payload.suspended_at) : null,
      missingPermissions: missingPermissions(payload.permissions, type),
    },
  ];
}

/** Returns the cursor of the next page from a Link header (RFC 8288). */
function nextCursor(link: string): string | null {
  const address = /<([^<>]+)>;\s*rel="next"/.exec(link)?.[1];
  return address !== undefined && URL.canParse(address) ? new URL(address).searchParams.get('cursor') : null;
}

function refused(): AppError {
  return new AppError('provider_denied', 'GitHub denies access to an installation of the App.');
}

async function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<'aborted'>();
  const abort = (): void => resolve('aborted');
  signal.addEventListener('abort', abort, { once: true });
  try {
    const first = await Promise.race([work.then((result) => ({ result })), promise]);
    if (first !== 'aborted') return first.result;
    signal.throwIfAborted();
    return await work;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
