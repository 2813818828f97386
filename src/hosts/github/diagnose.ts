import { type Static, Type } from 'typebox';
import {
  type CredentialReport,
  type Diagnosis,
  type MissingPermission,
  orUnknown,
  type Quota,
  reportOn,
  tokenLabel,
} from '../interface/diagnosis.ts';
import type { Call } from '../interface/provider.ts';
import type { Headers } from '../transport/http-transport.ts';
import type { GitHubApp } from './app/github-app.ts';
import { missingPermissions } from './app/registration.ts';
import { type GitHubClient, isEnterpriseServer } from './client.ts';
import type { Token } from './credentials.ts';
import { RateLimitPayload } from './payloads.ts';
import { subscribedEvents } from './webhooks.ts';

/** The most installations that are checked, because an App may have thousands, and each check creates a token. */
const maxInstallations = 10;

/**
 * The oldest Enterprise Server that works: `Issue.stateReason` has the argument `enableDuplicate` since 3.17 (the schemas of 3.16 and
 * 3.17 in github/docs, src/graphql/data/ghes-3.17/schema-issues.json), and GraphQL refuses a query with an unknown argument.
 */
const oldest = { version: '3.17', because: 'older ones refuse the queries for issues' };

const MetaPayload = Type.Object({ installed_version: Type.Optional(Type.String()) });
const HolderPayload = Type.Object({ login: Type.String() });
type Resources = Static<typeof RateLimitPayload>['resources'];

const withoutToken = {
  name: 'a token',
  neededFor: 'reviews, discussions and complete lifetime numbers',
  isRequired: false,
};

interface DiagnosisContext {
  client: GitHubClient;
  app: GitHubApp | undefined;
  /** The configured tokens, in the order of the settings. */
  tokens: readonly string[];
  now: () => Date;
}

/** Reports on the configured tokens, the App and its first ten installations. */
export async function diagnose(examined: DiagnosisContext, signal: AbortSignal): Promise<Diagnosis> {
  const { client, app, tokens, now } = examined;
  const call: Call = { urgency: 'interactive', signal, cost: { requests: 0, points: 0 } };
  const installed = client.credentials.tokens.filter(isInstallation).slice(0, maxInstallations);
  const configured = client.credentials.tokens.filter((token) => !isInstallation(token));
  const credentials = await Promise.all([
    ...configured.map((token, index) => reportOnToken(examined, token, formatLabel(tokens, index), call)),
    ...(app === undefined ? [] : [describeApp(app, now, call)]),
    ...installed.map((token) => reportOnToken(examined, token, token.label, call)),
  ]);
  const version = isEnterpriseServer(client.apiUrl) ? await readVersion(client, call) : null;
  return { version, credentials, needs: version !== null && isOlder(version) ? oldest : undefined };
}

/** Reads the version of an Enterprise Server; null where it does not say (https://docs.github.com/enterprise-server/rest/meta/meta). */
async function readVersion(client: GitHubClient, call: Call): Promise<string | null> {
  const meta = await orUnknown(client.rest('/meta', MetaPayload, call));
  const header = meta?.headers['x-github-enterprise-version'];
  return /\d+\.\d+(?:\.\d+)?/.exec(meta?.data.installed_version ?? String(header ?? ''))?.[0] ?? null;
}

/** Returns whether a version is older than the oldest that works. */
function isOlder(version: string): boolean {
  return version.localeCompare(oldest.version, 'en', { numeric: true }) < 0;
}

/** Returns whether a token is that of an installation, which shows one account. */
function isInstallation({ account }: Token): boolean {
  return account !== undefined;
}

function formatLabel(tokens: readonly string[], index: number): string {
  const secret = tokens[index];
  return secret === undefined ? 'no token' : tokenLabel(secret, index, tokens.length);
}

function reportOnToken(
  { client, now }: DiagnosisContext,
  token: Token,
  label: string,
  call: Call,
): Promise<CredentialReport> {
  const kind = token.secret === undefined ? 'none' : isInstallation(token) ? 'installation' : 'token';
  const tokenCall = { ...call, credentialName: token.name };
  return reportOn({ kind, label, credentialName: token.name || null }, async () => {
    const startedAt = now();
    // The request is free, and succeeds also when no quota is left: https://docs.github.com/rest/rate-limit/rate-limit
    const limits = await client.rest('/rate_limit', RateLimitPayload, tokenCall);
    const latencyMs = now().getTime() - startedAt.getTime();
    const holder = kind === 'token' ? await orUnknown(client.rest('/user', HolderPayload, tokenCall)) : undefined;
    return {
      latencyMs,
      holder: holder?.data.login ?? null,
      sees: toVisibility(token),
      missing: kind === 'none' ? [withoutToken] : [],
      expiresAt: expiryIn((limits ?? holder)?.headers ?? {}),
      // Enterprise servers without limits do not have this endpoint.
      quotas: limits ? toQuotas(limits.data.resources, kind) : [],
    };
  });
}

/** Returns the data that a token sees: `unknown` for fine-grained tokens, whose permissions GitHub does not report. */
function toVisibility(token: Token): CredentialReport['sees'] {
  if (token.seesOnlyPublic) return 'public';
  return token.scopes === undefined && !isInstallation(token) ? 'unknown' : 'private';
}

/**
 * Returns the quotas: first GraphQL's, which is spent most; without a token only REST's, because GraphQL requires one.
 */
function toQuotas({ graphql, core }: Resources, kind: CredentialReport['kind']): Quota[] {
  const quota = (resource: string, unit: Quota['unit'], { limit, remaining, reset }: Resources['core']): Quota => ({
    resource,
    unit,
    limit,
    remaining,
    resetAt: new Date(reset * 1000),
  });
  const restQuota = quota('core', 'requests', core);
  return kind === 'none' || graphql === undefined ? [restQuota] : [quota('graphql', 'points', graphql), restQuota];
}

/**
 * Reads a token's expiry: `2026-12-01 09:22:37 UTC`, or with an offset in place of the zone (google/go-github,
 * github/github.go, parseTokenExpiration).
 */
function expiryIn(headers: Headers): Date | null {
  const header = headers['github-authentication-token-expiration'];
  const [, day, time, zone] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) (UTC|[+-]\d{4})$/.exec(String(header ?? '')) ?? [];
  if (day === undefined) return null;
  const expiresAt = new Date(`${day}T${time}${zone === 'UTC' ? 'Z' : zone?.replace(/(\d\d)$/, ':$1')}`);
  return Number.isNaN(expiresAt.getTime()) ? null : expiresAt;
}

/** Reports whether GitHub accepts the App's id and key, and which permissions and events its registration lacks. */
function describeApp(app: GitHubApp, now: () => Date, call: Call): Promise<CredentialReport> {
  return reportOn({ kind: 'app', label: 'the GitHub App', credentialName: null }, async () => {
    const startedAt = now();
    const { slug, owner, permissions, events } = await app.identify(call);
    const latencyMs = now().getTime() - startedAt.getTime();
    const missingEvents = app.takesDeliveries ? subscribedEvents.filter((event) => !events.includes(event)) : [];
    const missing: MissingPermission[] = [
      ...missingPermissions(permissions, 'Organization').map((name) => ({
        name: `the permission "${name}" (read)`,
        neededFor: `${name.replaceAll('_', ' ')} of everybody who installs it`,
        isRequired: true,
      })),
      ...missingEvents.map((name) => ({
        name: `the event "${name}"`,
        neededFor: 'hearing of changes within seconds',
        isRequired: false,
      })),
    ];
    return { latencyMs, holder: owner === null ? slug : `${slug}, owned by ${owner}`, sees: 'private', missing };
  });
}
