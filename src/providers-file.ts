import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { Format } from 'typebox/format';
import { parse as parseYaml } from 'yaml';
import { type AppCredentials, appIdPattern, readAppCredentials } from './app-credentials.ts';
import { AppError } from './errors.ts';

Format.Set('http-url', isHttpUrl);

/** A code host. `name` is its path segment in URLs. */
export interface ProviderConfig {
  name: string;
  kind: string;
  /** The base URL for people and git, without a trailing slash. */
  url: string;
  /** The base URL of the API, without a trailing slash. */
  apiUrl: string;
  tokens: string[];
  /** The secret that signs deliveries from the provider; undefined when no deliveries are accepted. */
  webhookSecret: string | undefined;
  /** The credentials of the service as an app; undefined when it is not registered as one. */
  app: AppCredentials | undefined;
  /** The operator's settings that name the host; `default` when none does. */
  source: 'default' | 'environment' | 'file';
}

export const tokensPattern = '^[\\x21-\\x2b\\x2d-\\x7e]{1,1024}( *, *[\\x21-\\x2b\\x2d-\\x7e]{1,1024}){0,99}$';

export const httpUrl = {
  format: 'http-url',
  description: 'an http:// or https:// address without user, query or fragment',
};

const ProvidersFile = Type.Array(
  Type.Object(
    {
      name: Type.String({ pattern: '^[a-z][a-z0-9-]{0,38}$' }),
      kind: Type.String({ minLength: 1 }),
      url: Type.String(httpUrl),
      api_url: Type.Optional(Type.String(httpUrl)),
      token: Type.Optional(Type.String({ pattern: tokensPattern })),
      webhook_secret: Type.Optional(Type.String({ minLength: 16, maxLength: 1024 })),
      app_id: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.String({ pattern: appIdPattern })])),
      app_private_key: Type.Optional(Type.String({ minLength: 1, maxLength: 16_384 })),
    },
    { additionalProperties: false },
  ),
  { maxItems: 100 },
);
type ProvidersFile = Static<typeof ProvidersFile>;
const compiledProvidersFile = Compile(ProvidersFile);

/** Returns the default path of the API on such a host. */
export function apiPathOf(kind: string): string {
  return apiPaths[kind] ?? '/api/v1';
}

const apiPaths: Record<string, string> = { github: '/api/v3', gitlab: '/api/v4' };

/**
 * Reads the file of further code hosts.
 * @param taken names that other settings gave to hosts.
 * @throws AppError `misconfigured`, with one line that names the place and never a value.
 */
export function parseProviders(text: string, taken: readonly string[]): ProviderConfig[] {
  const entries = parseProvidersFile(text);
  const names = new Set(taken);
  return entries.map((entry) => {
    if (names.has(entry.name)) throw misconfigured(`PROVIDERS_FILE: the name ${entry.name} is taken`);
    names.add(entry.name);
    const place = `PROVIDERS_FILE: ${entry.name}`;
    const hasApp = entry.app_id !== undefined || entry.app_private_key !== undefined;
    if (hasApp && entry.kind !== 'github') throw misconfigured(`${place}: only a host of the kind github has apps`);
    return {
      name: entry.name,
      kind: entry.kind,
      url: withoutSlash(entry.url),
      apiUrl: withoutSlash(entry.api_url ?? `${withoutSlash(entry.url)}${apiPathOf(entry.kind)}`),
      tokens: splitList(entry.token),
      webhookSecret: entry.webhook_secret,
      app: readAppCredentials(
        { id: entry.app_id?.toString(), privateKey: entry.app_private_key },
        { id: `${place}: app_id`, privateKey: `${place}: app_private_key` },
      ),
      source: 'file',
    };
  });
}

function parseProvidersFile(text: string): ProvidersFile {
  const entries: unknown = parseYamlOrThrow(text);
  if (compiledProvidersFile.Check(entries)) return entries;
  const path = compiledProvidersFile.Errors(entries)[0]?.instancePath || 'the top';
  throw misconfigured(
    `PROVIDERS_FILE must be a list of {name, kind, url, api_url, token, webhook_secret, app_id, app_private_key}; the fault is at ${path}`,
  );
}

function parseYamlOrThrow(text: string): unknown {
  try {
    return parseYaml(text, { maxAliasCount: 0 });
  } catch (cause) {
    throw misconfigured("PROVIDERS_FILE isn't valid YAML", cause);
  }
}

function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, search, hash, username } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && search === '' && hash === '' && username === '';
}

/** Returns the items between commas, each once. */
export function splitList(text: string | undefined): string[] {
  const items = (text ?? '').split(',').map((item) => item.trim());
  return [...new Set(items.filter((item) => item !== ''))];
}

export function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

function misconfigured(message: string, cause?: unknown): AppError {
  return new AppError('misconfigured', message, { cause });
}
