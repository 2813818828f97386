import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { parse as parseYaml } from 'yaml';
import { findMisleading } from '../../model/text.ts';
import {
  type AppCredentials,
  environmentHosts,
  gitHubApiUrl,
  gitHubUrl,
  type HostProperty,
  hostProperties,
  hostSetting,
  providerKeys,
  readAppCredentials,
  toVariable,
} from './host-settings.ts';
import { misconfigured, type Setting, splitList, withoutSlash } from './setting.ts';

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
  /** The registration with which people sign in; undefined when they cannot. */
  oauth: OAuthClientConfig | undefined;
  /** The operator's settings that name the host; `default` when none does. */
  source: 'default' | 'environment' | 'file';
}

interface OAuthClientConfig {
  id: string;
  secret: string;
}

/** The properties of a host as the operator gave them. */
interface HostEntry extends Partial<Record<Exclude<HostProperty, 'url' | 'app_id'>, string>> {
  name: string;
  kind: string;
  url: string;
  app_id?: string | number;
}

const apiPaths: Record<string, string> = { github: '/api/v3', gitlab: '/api/v4' };
/** The path of Gitea and Forgejo. */
const defaultApiPath = '/api/v1';

/**
 * Returns the provider that an entry describes.
 * @param toName returns the name of a property as the operator wrote it, for errors.
 * @throws AppError `misconfigured`.
 */
function toProviderConfig(
  entry: HostEntry,
  source: ProviderConfig['source'],
  toName: (property: HostProperty) => string,
): ProviderConfig {
  const url = withoutSlash(entry.url);
  return {
    name: entry.name,
    kind: entry.kind,
    url,
    apiUrl: withoutSlash(entry.api_url ?? toApiUrl(entry.kind, url)),
    tokens: splitList(entry.token),
    webhookSecret: entry.webhook_secret,
    app: readAppCredentials(
      { id: entry.app_id?.toString(), privateKey: entry.app_private_key },
      { id: toName('app_id'), privateKey: toName('app_private_key') },
    ),
    oauth: readOAuthClient(entry, toName),
    source,
  };
}

function readOAuthClient(
  { oauth_client_id: id, oauth_client_secret: secret }: HostEntry,
  toName: (property: HostProperty) => string,
): OAuthClientConfig | undefined {
  if (id !== undefined && secret !== undefined) return { id, secret };
  if (id === undefined && secret === undefined) return undefined;
  const names = [toName('oauth_client_id'), toName('oauth_client_secret')];
  const [presentName, missingName] = id === undefined ? names.toReversed() : names;
  throw misconfigured(`${presentName} is set without ${missingName}; sign-in needs both`);
}

/**
 * Returns the default address of the API of a host. A self-hosted GitHub has its API at its own address, and one with data
 * residency at a host of its own (https://docs.github.com/enterprise-cloud@latest/admin/data-residency/network-details-for-ghecom):
 * its token is never sent to github.com when the operator set `url` without `api_url`.
 */
function toApiUrl(kind: string, url: string): string {
  if (kind === 'github' && url === gitHubUrl) return gitHubApiUrl;
  const { protocol, host } = new URL(url);
  if (kind === 'github' && host.endsWith('.ghe.com')) return `${protocol}//api.${host}`;
  return `${url}${apiPaths[kind] ?? defaultApiPath}`;
}

/**
 * Reads the hosts that environment variables describe; github.com when they do not describe a GitHub.
 * @throws AppError `misconfigured`.
 */
export function readEnvironmentHosts(read: <Result>(setting: Setting<Result>) => Result): ProviderConfig[] {
  return environmentHosts.flatMap((host) => {
    const { kind, title, properties } = host;
    const given = properties.flatMap((property) => {
      const value = read(hostSetting(host, property));
      return value === undefined ? [] : [{ property, value }];
    });
    const values: Partial<Record<HostProperty, string>> = Object.fromEntries(
      given.map(({ property, value }) => [property, value]),
    );
    const url = values.url ?? (kind === 'github' ? gitHubUrl : undefined);
    const [first] = given;
    if (url === undefined) {
      if (first === undefined) return [];
      const names = [toVariable(kind, first.property), toVariable(kind, 'url')];
      throw misconfigured(`${names[0]} is set without ${names[1]}, the address of your ${title}`);
    }
    const source = first === undefined ? 'default' : 'environment';
    return [toProviderConfig({ name: kind, kind, ...values, url }, source, (property) => toVariable(kind, property))];
  });
}

const { url, api_url, token, webhook_secret, app_id, app_private_key, oauth_client_id, oauth_client_secret } =
  hostProperties;
const Entry = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z][a-z0-9-]{0,38}$' }),
    kind: Type.String({ minLength: 1 }),
    url: url.schema,
    api_url: Type.Optional(api_url.schema),
    token: Type.Optional(token.schema),
    webhook_secret: Type.Optional(webhook_secret.schema),
    // YAML reads an App ID as a number.
    app_id: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), app_id.schema])),
    app_private_key: Type.Optional(app_private_key.schema),
    oauth_client_id: Type.Optional(oauth_client_id.schema),
    oauth_client_secret: Type.Optional(oauth_client_secret.schema),
  },
  { additionalProperties: false },
);
const ProvidersFile = Type.Array(Entry, { maxItems: 100 });
type ProvidersFile = Static<typeof ProvidersFile>;
const compiledProvidersFile = Compile(ProvidersFile);

/** First path segments of the addresses of the service, which no host may have as its name. */
export const reservedSegments: ReadonlySet<string> = new Set([
  'avatars',
  'board',
  'boards',
  'cards',
  'docs',
  'entities',
  'find',
  'gallery',
  'healthz',
  'hooks',
  'lists',
  'pages',
  'people',
  'readyz',
  'settings',
  'sign-in',
  'sign-out',
  'v1',
]);

/**
 * Reads the file of further code hosts.
 * @param taken names that other settings gave to hosts.
 * @throws AppError `misconfigured`, with one line that names the entry and never a value.
 */
export function parseProviders(text: string, taken: readonly string[]): ProviderConfig[] {
  const names = new Set(taken);
  return parseProvidersFile(text).map((entry) => {
    if (reservedSegments.has(entry.name)) {
      throw misconfigured(`PROVIDERS_FILE: the name ${entry.name} is the address of a page; choose another one`);
    }
    if (names.has(entry.name))
      throw misconfigured(`PROVIDERS_FILE: the name ${entry.name} is taken; choose another one`);
    names.add(entry.name);
    const entryName = `PROVIDERS_FILE: ${entry.name}`;
    const hasApp = entry.app_id !== undefined || entry.app_private_key !== undefined;
    if (hasApp && entry.kind !== 'github') throw misconfigured(`${entryName}: only a host of the kind github has apps`);
    return toProviderConfig(entry, 'file', (property) => `${entryName}: ${property}`);
  });
}

function parseProvidersFile(text: string): ProvidersFile {
  const entries: unknown = parseYamlOrThrow(text);
  if (compiledProvidersFile.Check(entries)) return entries;
  const path = compiledProvidersFile.Errors(entries)[0]?.instancePath || 'the top';
  throw misconfigured(
    `PROVIDERS_FILE must be a list of {${providerKeys.join(', ')}}; the fault is at ${path}${misleadingIn(text)}`,
  );
}

/** Returns the rest of a message about a file that cannot be read: its first character that looks like another, or like none. */
function misleadingIn(text: string): string {
  const [found] = findMisleading(text);
  return found === undefined ? '' : `; line ${text.slice(0, found.index).split('\n').length} has ${found.name}`;
}

function parseYamlOrThrow(text: string): unknown {
  try {
    return parseYaml(text, { maxAliasCount: 0 });
  } catch (cause) {
    throw misconfigured(`PROVIDERS_FILE isn't valid YAML${misleadingIn(text)}`, cause);
  }
}
