import { createPrivateKey, type KeyObject } from 'node:crypto';
import { Type } from 'typebox';
import { Format } from 'typebox/format';
import { findRsaWeakness } from './rsa-modulus.ts';
import { isHttpUrl, misconfigured, type Setting, setting } from './setting.ts';

/** The credentials of the service at a provider where it is registered as an app. */
export interface AppCredentials {
  /** The app's id at the provider, or its client id. */
  id: string;
  /** RSA, of at least 2048 bits. */
  privateKey: KeyObject;
}

const appIdPattern = '^[A-Za-z0-9][A-Za-z0-9.]{0,99}$';
const minBits = 2048;

Format.Set('http-url', isHttpUrl);

/** The kinds of code hosts. Each has an implementation in `src/hosts/index.ts`, and is named in help and usage texts. */
export const hostKinds = ['github', 'gitea', 'forgejo', 'gitlab'] as const;
export type HostKind = (typeof hostKinds)[number];
/** The kinds in a sentence: "github, gitea or gitlab". */
export const hostKindsInWords = `${hostKinds.slice(0, -1).join(', ')} or ${hostKinds.at(-1)}`;

/** At most 100 tokens of printable ASCII without commas, separated by commas. */
const tokensPattern = '^[\\x21-\\x2b\\x2d-\\x7e]{1,1024}( *, *[\\x21-\\x2b\\x2d-\\x7e]{1,1024}){0,99}$';
export const validUrl = 'an http:// or https:// address without user, query or fragment';

/**
 * The properties of a code host: keys of an entry of PROVIDERS_FILE, and, after the name of a host, environment
 * variables such as GITHUB_TOKEN.
 */
export const hostProperties = {
  url: {
    schema: Type.String({ format: 'http-url' }),
    valid: validUrl,
    description: 'address for people and git',
  },
  api_url: {
    schema: Type.String({ format: 'http-url' }),
    valid: validUrl,
    description: 'address of the API',
  },
  token: {
    schema: Type.String({ pattern: tokensPattern }),
    isSecret: true,
    valid: 'one token, or several separated by commas, without spaces inside',
    description: 'one token, or several separated by commas',
  },
  webhook_secret: {
    schema: Type.String({ minLength: 16, maxLength: 1024 }),
    isSecret: true,
    valid: 'a secret of at least 16 characters',
    description: 'secret of webhook signatures, at least 16 characters',
  },
  app_id: {
    schema: Type.String({ pattern: appIdPattern }),
    valid: 'the App ID or the client ID of your GitHub App',
    description: 'App ID or client ID of the GitHub App of the service',
  },
  app_private_key: {
    schema: Type.String({ minLength: 1, maxLength: 16_384 }),
    isSecret: true,
    valid: 'the private key of your GitHub App (PEM)',
    description: 'private key of that App (PEM)',
  },
  oauth_client_id: {
    schema: Type.String({ pattern: '^[\\x21-\\x7e]{1,255}$' }),
    valid: 'the client ID of your registration for sign-in',
    description: 'client ID with which people sign in',
  },
  oauth_client_secret: {
    schema: Type.String({ pattern: '^[\\x21-\\x7e]{1,1024}$' }),
    isSecret: true,
    valid: 'the client secret of your registration for sign-in',
    description: 'client secret with which people sign in',
  },
};
export type HostProperty = keyof typeof hostProperties;

/** The keys of an entry of PROVIDERS_FILE. */
export const providerKeys: readonly string[] = ['name', 'kind', ...Object.keys(hostProperties)];

/** A host that environment variables can describe: one of each kind. */
interface EnvironmentHost {
  kind: 'github' | 'gitea' | 'gitlab';
  title: string;
  properties: readonly HostProperty[];
  /** Defaults, as the help and docs/settings.md show them. */
  defaults?: Partial<Record<HostProperty, string>>;
}

export const gitHubUrl = 'https://github.com';
export const gitHubApiUrl = 'https://api.github.com';

const selfHostedProperties = ['url', 'token', 'webhook_secret', 'oauth_client_id', 'oauth_client_secret'] as const;

export const environmentHosts: readonly EnvironmentHost[] = [
  {
    kind: 'github',
    title: 'GitHub',
    properties: [
      'token',
      'app_id',
      'app_private_key',
      'webhook_secret',
      'oauth_client_id',
      'oauth_client_secret',
      'url',
      'api_url',
    ],
    defaults: {
      url: `\`${gitHubUrl}\``,
      api_url: `\`${gitHubApiUrl}\`, \`https://api.NAME.ghe.com\` or \`GITHUB_URL/api/v3\``,
    },
  },
  { kind: 'gitea', title: 'Gitea', properties: selfHostedProperties },
  { kind: 'gitlab', title: 'GitLab', properties: selfHostedProperties },
];

/** Returns the name of the environment variable for a property of a host. */
export function toVariable(kind: string, property: HostProperty): string {
  return `${kind}_${property}`.toUpperCase();
}

/** Returns the setting for a property of a host. */
export function hostSetting(
  { kind, title, defaults = {} }: EnvironmentHost,
  property: HostProperty,
): Setting<string | undefined> {
  const { description, ...rest } = hostProperties[property];
  return setting({
    ...rest,
    name: toVariable(kind, property),
    default: undefined,
    shownDefault: defaults[property] ?? 'none',
    description: `${title}: ${description}.`,
  });
}

export const hostSettings: readonly Setting[] = environmentHosts.flatMap((host) =>
  host.properties.map((property) => hostSetting(host, property)),
);

/**
 * Reads the credentials of an app. The key is PEM as the provider made it (PKCS #1 or #8), also with newlines written
 * as a backslash and an n.
 * @param names of the two settings, for errors; their values are never repeated.
 * @returns undefined when neither is set.
 * @throws AppError `misconfigured` when one is missing or invalid.
 */
export function readAppCredentials(
  { id, privateKey: text }: { id: string | undefined; privateKey: string | undefined },
  names: { id: string; privateKey: string },
): AppCredentials | undefined {
  if (id === undefined && text === undefined) return undefined;
  if (text === undefined)
    throw misconfigured(`${names.id} is set and ${names.privateKey} is not; set both, or neither`);
  if (id === undefined) throw misconfigured(`${names.privateKey} is set and ${names.id} is not; set both, or neither`);
  const privateKey = parseKey(text.replaceAll('\\n', '\n').trim());
  const bits = privateKey?.asymmetricKeyDetails?.modulusLength ?? 0;
  if (privateKey?.asymmetricKeyType !== 'rsa' || bits < minBits) {
    throw misconfigured(
      `${names.privateKey} must be a private key that was generated for the app: PEM that begins with -----BEGIN RSA PRIVATE KEY----- or -----BEGIN PRIVATE KEY-----`,
    );
  }
  const weakness = findRsaWeakness(privateKey);
  if (weakness !== undefined) {
    throw misconfigured(`${names.privateKey} is a weak RSA key: it ${weakness}. Generate a new key for the app.`);
  }
  return { id, privateKey };
}

function parseKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    // The cause is left out, because it may quote the key.
    return undefined;
  }
}
