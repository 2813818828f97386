import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { parse as parseYaml } from 'yaml';
import { findMisleading } from '../../model/text/control-characters.ts';
import { hostProperties, providerKeys } from './host-settings.ts';
import { type ProviderConfig, toProviderConfig } from './hosts.ts';
import { misconfigured } from './setting.ts';

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
