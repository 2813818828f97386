import {
  type AppCredentials,
  environmentHosts,
  gitHubApiUrl,
  gitHubUrl,
  type HostProperty,
  hostSetting,
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
export function toProviderConfig(
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
