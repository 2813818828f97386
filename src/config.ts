import { resolve } from 'node:path';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { Format } from 'typebox/format';
import { appIdPattern, readAppCredentials } from './app-credentials.ts';
import { AppError } from './errors.ts';
import { isHost, isProxy } from './network-names.ts';
import {
  apiPathOf,
  httpUrl,
  type ProviderConfig,
  parseProviders,
  splitList,
  tokensPattern,
  withoutSlash,
} from './providers-file.ts';

Format.Set('hosts', (text) => splitList(text).length > 0 && splitList(text).every(isHost));
Format.Set('proxies', (text) => splitList(text).length > 0 && splitList(text).every(isProxy));

const tokens = Type.String({
  pattern: tokensPattern,
  description: 'one token, or several separated by commas, without spaces inside',
});
const webhookSecret = Type.String({
  minLength: 16,
  maxLength: 1024,
  description: 'a secret of at least 16 characters',
});

/**
 * Every setting: its shape, its default (for a first start), and in `description` the valid values, for error messages.
 */
const Settings = Type.Object({
  HOST: Type.String({
    minLength: 1,
    maxLength: 255,
    default: '127.0.0.1',
    description: 'a host name or an address to listen on',
  }),
  PORT: Type.Integer({ minimum: 0, maximum: 65_535, default: 8080, description: 'an integer from 0 to 65535' }),
  METRICS_PORT: Type.Integer({ minimum: 0, maximum: 65_535, default: 9090, description: 'an integer from 0 to 65535' }),
  PUBLIC_URL: Type.Optional(Type.String(httpUrl)),
  DATA_DIR: Type.String({ minLength: 1, default: './data', description: 'a path' }),
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://',
      description: 'an address like postgresql://user:password@host:5432/database',
    }),
  ),
  GITHUB_TOKEN: Type.Optional(tokens),
  GITHUB_WEBHOOK_SECRET: Type.Optional(webhookSecret),
  GITHUB_APP_ID: Type.Optional(
    Type.String({ pattern: appIdPattern, description: 'the App ID or the client ID of your GitHub App' }),
  ),
  GITHUB_APP_PRIVATE_KEY: Type.Optional(
    Type.String({ minLength: 1, maxLength: 16_384, description: 'the private key of your GitHub App (PEM)' }),
  ),
  GITHUB_API_URL: Type.Optional(Type.String(httpUrl)),
  GITHUB_URL: Type.Optional(Type.String(httpUrl)),
  GITEA_URL: Type.Optional(Type.String(httpUrl)),
  GITEA_TOKEN: Type.Optional(tokens),
  GITEA_WEBHOOK_SECRET: Type.Optional(webhookSecret),
  GITLAB_URL: Type.Optional(Type.String(httpUrl)),
  GITLAB_TOKEN: Type.Optional(tokens),
  GITLAB_WEBHOOK_SECRET: Type.Optional(webhookSecret),
  PROVIDERS_FILE: Type.Optional(Type.String({ minLength: 1, description: 'a path to a YAML file' })),
  LOOKUP_BUDGET_MS: Type.Integer({
    minimum: 100,
    maximum: 60_000,
    default: 3000,
    description: 'an integer from 100 to 60000 (milliseconds)',
  }),
  FRESH_FOR_S: Type.Integer({
    minimum: 1,
    maximum: 31_536_000,
    default: 3600,
    description: 'an integer from 1 to 31536000 (seconds)',
  }),
  TOKEN_TTL_S: Type.Integer({
    minimum: 60,
    maximum: 86_400,
    default: 3600,
    description: 'an integer from 60 to 86400 (seconds)',
  }),
  RATE_LIMIT_PER_MINUTE: Type.Integer({
    minimum: 10,
    maximum: 1_000_000,
    default: 1200,
    description: 'an integer from 10 to 1000000 (requests of one address a minute)',
  }),
  TRUST_PROXY: Type.Optional(
    Type.String({
      format: 'proxies',
      description: 'addresses, ranges like 10.0.0.0/8, or loopback, linklocal, uniquelocal; separated by commas',
    }),
  ),
  OUTBOUND_ALLOW: Type.Optional(
    Type.String({
      format: 'hosts',
      description:
        'hosts like hooks.internal or 10.0.0.7:8443 (the ports 80 and 443 are not written), separated by commas',
    }),
  ),
  LOG_LEVEL: Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
    default: 'info',
    description: 'one of trace, debug, info, warn, error, fatal, silent',
  }),
});
type Settings = Static<typeof Settings>;

/** A TypeBox schema of a setting, read as the plain JSON Schema that it is. */
interface SettingSchema {
  type?: string;
  default?: unknown;
  description?: string;
}
const settingSchemas = new Map<string, SettingSchema>(Object.entries<object>(Settings.properties));
const settingNames = [...settingSchemas.keys()];
/** Settings that may also come from a file, as `NAME_FILE`. */
const secretNames = [
  'DATABASE_URL',
  'GITHUB_TOKEN',
  'GITHUB_WEBHOOK_SECRET',
  'GITHUB_APP_PRIVATE_KEY',
  'GITEA_TOKEN',
  'GITEA_WEBHOOK_SECRET',
  'GITLAB_TOKEN',
  'GITLAB_WEBHOOK_SECRET',
];

export interface Config {
  host: string;
  port: number;
  metricsPort: number;
  /** True when METRICS_PORT was set; otherwise it is the default, which may give way when it is taken. */
  metricsPortIsSet: boolean;
  publicUrl: string | undefined;
  dataDir: string;
  databaseUrl: string | undefined;
  providers: ProviderConfig[];
  lookupBudgetMs: number;
  freshForMs: number;
  tokenTtlMs: number;
  rateLimitPerMinute: number;
  /** Proxies whose headers about the client's address are trusted. */
  trustedProxies: string[];
  /** Hosts, with their port where it is not the usual one, that may be called though they are private or use http. */
  outboundAllowed: ReadonlySet<string>;
  logLevel: Settings['LOG_LEVEL'];
}

type Environment = Readonly<Record<string, string | undefined>>;
type ReadFile = (path: string) => string;

/**
 * Reads the settings from an environment.
 * @throws AppError `misconfigured`, with one line that names the setting and never its value.
 */
export function readConfig(environment: Environment, readFile: ReadFile): Config {
  rejectUnknownSettings(environment);
  const settings = parseSettings(environment, readFile);
  return {
    host: settings.HOST,
    port: settings.PORT,
    metricsPort: settings.METRICS_PORT,
    metricsPortIsSet: Boolean(environment['METRICS_PORT']),
    publicUrl: settings.PUBLIC_URL === undefined ? undefined : withoutSlash(settings.PUBLIC_URL),
    dataDir: resolve(settings.DATA_DIR),
    databaseUrl: settings.DATABASE_URL,
    providers: readProviders(settings, readFile),
    lookupBudgetMs: settings.LOOKUP_BUDGET_MS,
    freshForMs: settings.FRESH_FOR_S * 1000,
    tokenTtlMs: settings.TOKEN_TTL_S * 1000,
    rateLimitPerMinute: settings.RATE_LIMIT_PER_MINUTE,
    trustedProxies: splitList(settings.TRUST_PROXY),
    outboundAllowed: new Set(splitList(settings.OUTBOUND_ALLOW).map((host) => host.toLowerCase())),
    logLevel: settings.LOG_LEVEL,
  };
}

const compiledSettings = Compile(Settings);

function parseSettings(environment: Environment, readFile: ReadFile): Settings {
  const values: Record<string, unknown> = {};
  for (const [name, schema] of settingSchemas) {
    const text = settingText(name, environment, readFile);
    if (text !== undefined) values[name] = schema.type === 'integer' ? integerOrText(text) : text;
    else if (schema.default !== undefined) values[name] = schema.default;
  }
  if (compiledSettings.Check(values)) return values;
  const name = compiledSettings.Errors(values)[0]?.instancePath.slice(1) ?? '';
  throw misconfigured(`${name} must be ${settingSchemas.get(name)?.description}`);
}

function settingText(name: string, environment: Environment, readFile: ReadFile): string | undefined {
  const text = environment[name] || undefined;
  const path = secretNames.includes(name) ? environment[`${name}_FILE`] || undefined : undefined;
  if (path === undefined) return text;
  if (text !== undefined) throw misconfigured(`${name} and ${name}_FILE are both set; keep one`);
  return readSettingFile(`${name}_FILE`, path, readFile).trim();
}

function readSettingFile(setting: string, path: string, readFile: ReadFile): string {
  try {
    return readFile(path);
  } catch (cause) {
    throw misconfigured(`${setting} names a file that can't be read`, cause);
  }
}

function integerOrText(text: string): number | string {
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}

function readProviders(settings: Settings, readFile: ReadFile): ProviderConfig[] {
  const own = [
    gitHubFromSettings(settings),
    ...oneFromSettings(settings, 'GITEA', 'Gitea'),
    ...oneFromSettings(settings, 'GITLAB', 'GitLab'),
  ];
  const path = settings.PROVIDERS_FILE;
  if (path === undefined) return own;
  const taken = own.map(({ name }) => name);
  return [...own, ...parseProviders(readSettingFile('PROVIDERS_FILE', path, readFile), taken)];
}

/** Returns the provider that the settings of a kind describe; empty when they describe none. */
function oneFromSettings(settings: Settings, prefix: 'GITEA' | 'GITLAB', title: string): ProviderConfig[] {
  const { [`${prefix}_URL` as const]: address, [`${prefix}_TOKEN` as const]: token } = settings;
  const webhookSecret = settings[`${prefix}_WEBHOOK_SECRET`];
  if (address === undefined) {
    const alone = token === undefined ? webhookSecret && `${prefix}_WEBHOOK_SECRET` : `${prefix}_TOKEN`;
    if (alone !== undefined) throw misconfigured(`${alone} is set without ${prefix}_URL, the address of your ${title}`);
    return [];
  }
  const kind = prefix.toLowerCase();
  const url = withoutSlash(address);
  const apiUrl = `${url}${apiPathOf(kind)}`;
  const tokens = splitList(token);
  return [{ name: kind, kind, url, apiUrl, tokens, webhookSecret, app: undefined, source: 'environment' }];
}

function gitHubFromSettings(settings: Settings): ProviderConfig {
  const url = withoutSlash(settings.GITHUB_URL ?? 'https://github.com');
  // A token for a self-hosted GitHub must never be sent to github.com because only half of the address was set.
  const derivedApiUrl = settings.GITHUB_URL === undefined ? 'https://api.github.com' : `${url}/api/v3`;
  return {
    name: 'github',
    kind: 'github',
    url,
    apiUrl: withoutSlash(settings.GITHUB_API_URL ?? derivedApiUrl),
    tokens: splitList(settings.GITHUB_TOKEN),
    webhookSecret: settings.GITHUB_WEBHOOK_SECRET,
    app: readAppCredentials(
      { id: settings.GITHUB_APP_ID, privateKey: settings.GITHUB_APP_PRIVATE_KEY },
      { id: 'GITHUB_APP_ID', privateKey: 'GITHUB_APP_PRIVATE_KEY' },
    ),
    source: Object.keys(settings).some((name) => name.startsWith('GITHUB_')) ? 'environment' : 'default',
  };
}

/** Prefixes of this service's own settings; an unknown name that begins like this is a mistake. */
const ownPrefixes =
  /^(PLAUDIT|DATABASE_URL|DATA_DIR|LOOKUP|FRESH_FOR|TOKEN_TTL|RATE_LIMIT|TRUST_PROXY|OUTBOUND|METRICS_PORT|PROVIDERS_FILE|LOG_LEVEL|PUBLIC_URL)/;
const providerPrefixes = /^(GITHUB|GITEA|GITLAB)_/;

function rejectUnknownSettings(environment: Environment): void {
  // In a CI build the code host itself sets many variables that begin with its name.
  const isInsideBuild = Boolean(
    environment['GITHUB_ACTIONS'] ?? environment['GITLAB_CI'] ?? environment['GITEA_ACTIONS'],
  );
  const known = new Set<string>([...settingNames, ...secretNames.map((name) => `${name}_FILE`)]);
  for (const name of Object.keys(environment)) {
    if (known.has(name)) continue;
    if (ownPrefixes.test(name) || (providerPrefixes.test(name) && !isInsideBuild)) {
      throw misconfigured(`${name} is not a setting of this service; the settings are ${settingNames.join(', ')}`);
    }
  }
}

function misconfigured(message: string, cause?: unknown): AppError {
  return new AppError('misconfigured', message, { cause });
}
