import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { Type } from 'typebox';
import { Format } from 'typebox/format';
import { hostKindsInWords, hostSettings, providerKeys, validUrl } from '../../hosts/config/host-settings.ts';
import { isHost, isProxy, type Setting, setting, splitList, withoutSlash } from '../../hosts/config/setting.ts';

Format.Set('hosts', (text) => splitList(text).length > 0 && splitList(text).every(isHost));
Format.Set('proxies', (text) => splitList(text).length > 0 && splitList(text).every(isProxy));

const listenAddress = {
  schema: Type.String({ minLength: 1, maxLength: 255 }),
  default: '127.0.0.1',
  valid: 'a host name or an address to listen on',
};
const port = { schema: Type.Integer({ minimum: 0, maximum: 65_535 }), valid: 'an integer from 0 to 65535' };
/** A URL whose path needs no encoding, because it becomes a part of cookies and of all addresses on pages. */
const plainUrl = String.raw`^[^/?#@\\]+//[^/?#@\\]+(/[\w~-][\w.~-]*)*/*$`;
/** Each process takes memory. On a machine with more cores the operator decides how many processes the service gets. */
const maxDefaultWorkers = 4;
const databaseAddress = {
  schema: Type.String({ pattern: '^postgres(ql)?://' }),
  isSecret: true,
  default: undefined,
  valid: 'an address like postgresql://user:password@host:5432/database',
};
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The settings of the service, by the field of the configuration that each becomes. */
export const serviceSettings = {
  host: setting({
    ...listenAddress,
    name: 'HOST',
    description: 'Host name or address on which the service listens.',
  }),
  port: setting({
    ...port,
    name: 'PORT',
    default: 8080,
    description: 'Port of the service; 0 selects a free one.',
  }),
  metricsHost: setting({
    ...listenAddress,
    name: 'METRICS_HOST',
    description: 'Host name or address of the metrics for Prometheus; `HOST` has no effect on it.',
  }),
  metricsPort: setting({
    ...port,
    name: 'METRICS_PORT',
    default: 9090,
    description: 'Port of the metrics for Prometheus; 0 selects a free one.',
  }),
  publicUrl: setting({
    name: 'PUBLIC_URL',
    schema: Type.String({ format: 'http-url', pattern: plainUrl }),
    default: undefined,
    shownDefault: '`http://HOST:PORT`',
    valid: `${validUrl}, whose path has plain names without ".."`,
    description: 'Address of the service in links and in tokens; it may have a path, which a proxy may strip or not.',
    toConfig: (url) => (url === undefined ? undefined : withoutSlash(url)),
  }),
  siteName: setting({
    name: 'SITE_NAME',
    schema: Type.String({ minLength: 1, maxLength: 40 }),
    default: 'Plaudit',
    valid: 'a name of at most 40 characters',
    description: 'Name of the site in the headers and titles of its pages.',
  }),
  siteLogo: setting({
    name: 'SITE_LOGO',
    schema: Type.String({ minLength: 1, maxLength: 1000 }),
    default: undefined,
    valid: 'the path of an image',
    description:
      'Path of a PNG, JPEG, WebP or GIF of at most 512 KiB, which the headers of pages show in the place of the mark of the service.',
    toConfig: (path) => (path === undefined ? undefined : resolve(path)),
  }),
  imprintUrl: setting({
    name: 'IMPRINT_URL',
    schema: Type.String({ format: 'http-url' }),
    default: undefined,
    valid: validUrl,
    description: "Address of the operator's imprint, which all pages link to.",
  }),
  siteIndexed: setting({
    name: 'SITE_INDEXED',
    schema: Type.Enum(['yes', 'no']),
    default: 'no',
    valid: 'yes or no',
    description: 'Whether search engines may list the pages of accounts.',
    toConfig: (value) => value === 'yes',
  }),
  /** An account whose cards the start page shows. */
  siteExample: setting({
    name: 'SITE_EXAMPLE',
    schema: Type.String({ pattern: '^[a-z][a-z0-9-]{0,38}/[^\\s?#]{1,255}$' }),
    default: undefined,
    valid: 'a host and an account of it, such as github/octocat',
    description: 'Host and account (`github/octocat`) whose cards the start page shows.',
    toConfig: (text) => {
      if (text === undefined) return undefined;
      const [provider = '', ...name] = text.split('/');
      return { provider, name: name.join('/') };
    },
  }),
  dataDir: setting({
    name: 'DATA_DIR',
    schema: Type.String({ minLength: 1 }),
    default: './data',
    valid: 'a path',
    description: 'Directory of the embedded database and of local copies of git histories.',
    toConfig: (path) => resolve(path),
  }),
  /** Certificate authorities; `authorities.ts` reads the file for the whole process. */
  caFile: setting({
    name: 'CA_FILE',
    schema: Type.String({ minLength: 1 }),
    default: undefined,
    valid: 'the path of a file with certificates (PEM)',
    description:
      'Path of a PEM file with certificate authorities that all connections trust, also those of git, in addition to the authorities of the system.',
  }),
  databaseUrl: setting({
    ...databaseAddress,
    name: 'DATABASE_URL',
    shownDefault: 'embedded PostgreSQL',
    description: 'Address of your own PostgreSQL 15 or later; several nodes may share it.',
  }),
  databaseDirectUrl: setting({
    ...databaseAddress,
    name: 'DATABASE_DIRECT_URL',
    shownDefault: '`DATABASE_URL`',
    description:
      'Address of the same database past a pooler in transaction mode, such as PgBouncer, to which `DATABASE_URL` leads.',
  }),
  databaseReplicaUrl: setting({
    ...databaseAddress,
    name: 'DATABASE_REPLICA_URL',
    description: 'Address of a streaming standby of the database, from which responses for visitors are read.',
  }),
  workers: setting({
    name: 'WORKERS',
    schema: Type.Integer({ minimum: 1, maximum: 16 }),
    default: undefined,
    shownDefault: 'cores, up to 4',
    valid: 'an integer from 1 to 16 (processes)',
    description:
      'Processes that respond to requests; with more than one, another one runs the jobs. 1: a single process for both.',
    toConfig: (count) => count ?? Math.min(availableParallelism(), maxDefaultWorkers),
  }),
  requestConnections: setting({
    name: 'REQUEST_CONNECTIONS',
    schema: Type.Integer({ minimum: 2, maximum: 40 }),
    default: 8,
    valid: 'an integer from 2 to 40 (connections to the database)',
    description:
      'Connections to the database for requests, for all processes of a node, at least 2 for each. Expensive reads use half of them; beyond a queue they get 503.',
  }),
  jobConnections: setting({
    name: 'JOB_CONNECTIONS',
    schema: Type.Integer({ minimum: 4, maximum: 40 }),
    default: 18,
    valid: 'an integer from 4 to 40 (connections to the database)',
    description: 'Connections to the database for jobs, for each node, which runs at most 22 jobs at once.',
  }),
  lookupBudgetMs: setting({
    name: 'LOOKUP_BUDGET_MS',
    schema: Type.Integer({ minimum: 100, maximum: 60_000 }),
    default: 3000,
    valid: 'an integer from 100 to 60000 (milliseconds)',
    description: 'Longest wait of a caller for a lookup, in milliseconds.',
  }),
  freshForMs: setting({
    name: 'FRESH_FOR_S',
    schema: Type.Integer({ minimum: 1, maximum: 31_536_000 }),
    default: 3600,
    valid: 'an integer from 1 to 31536000 (seconds)',
    description: 'Age at which stored data is refreshed, in seconds.',
    toConfig: (seconds) => seconds * 1000,
  }),
  tokenTtlMs: setting({
    name: 'TOKEN_TTL_S',
    schema: Type.Integer({ minimum: 60, maximum: 86_400 }),
    default: 3600,
    valid: 'an integer from 60 to 86400 (seconds)',
    description: 'Lifetime of service tokens, in seconds.',
    toConfig: (seconds) => seconds * 1000,
  }),
  credentialAlgorithm: setting({
    name: 'CREDENTIAL_ALGORITHM',
    schema: Type.Enum(['ES256', 'RS256', 'EdDSA']),
    default: 'ES256',
    valid: 'ES256, RS256 or EdDSA',
    description:
      'Algorithm of signatures of credentials: `ES256`, `RS256` or `EdDSA`, which fewer verifiers accept. Issued credentials stay valid.',
  }),
  rateLimitPerMinute: setting({
    name: 'RATE_LIMIT_PER_MINUTE',
    schema: Type.Integer({ minimum: 10, maximum: 1_000_000 }),
    default: 1200,
    valid: 'an integer from 10 to 1000000 (requests of one address a minute)',
    description: 'Reads per minute from one address; cached responses and loopback do not count.',
  }),
  lookupsPerHour: setting({
    name: 'LOOKUPS_PER_HOUR',
    schema: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    default: 60,
    valid: 'an integer from 1 to 1000000 (lookups of one address an hour)',
    description:
      'Lookups per hour of names that are not stored, from one address; further ones wait. Images, owners and loopback do not count.',
  }),
  networkLookupsPerHour: setting({
    name: 'NETWORK_LOOKUPS_PER_HOUR',
    schema: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    default: 600,
    valid: 'an integer from 1 to 1000000 (lookups of one network an hour)',
    description:
      'Lookups per hour from all addresses of a network (IPv4 /24, IPv6 /64) together, or with the service tokens of one account; of images, names that do not exist.',
  }),
  anonymousRepositoryContributors: setting({
    name: 'ANONYMOUS_REPOSITORY_CONTRIBUTORS',
    schema: Type.Enum(['images', 'all', 'off']),
    default: 'images',
    valid: 'images, all or off',
    description:
      'What callers without a token get of the contributors to one public repository: `images`, `all` (JSON too) or `off`.',
  }),
  /** Proxies whose headers about the client's address are trusted. */
  trustedProxies: setting({
    name: 'TRUST_PROXY',
    schema: Type.String({ format: 'proxies' }),
    default: undefined,
    valid: 'addresses, ranges like 10.0.0.0/8, or loopback, linklocal, uniquelocal; separated by commas',
    description:
      'Addresses of trusted proxies, whose `X-Forwarded-For` is used, such as `loopback, 10.0.0.0/8`; separated by commas.',
    toConfig: splitList,
  }),
  /** Hosts, with their port where it is not the usual one, that may be called though they are private or use http. */
  outboundAllowed: setting({
    name: 'OUTBOUND_ALLOW',
    schema: Type.String({ format: 'hosts' }),
    default: undefined,
    valid: 'hosts like hooks.internal or 10.0.0.7:8443 (the ports 80 and 443 are not written), separated by commas',
    description:
      'Hosts (`name` or `name:port`) with private addresses to which messages and from which images are allowed; separated by commas.',
    toConfig: (hosts): ReadonlySet<string> => new Set(splitList(hosts).map((host) => host.toLowerCase())),
  }),
  logLevel: setting({
    name: 'LOG_LEVEL',
    schema: Type.Enum(levels),
    default: 'info',
    valid: `one of ${levels.join(', ')}`,
    description: `Least important lines of the log, which is JSON unless standard output is a terminal: ${levels.join(', ')}.`,
  }),
  /** The path of a file of further hosts; `parseProviders` reads it. */
  providersFile: setting({
    name: 'PROVIDERS_FILE',
    schema: Type.String({ minLength: 1 }),
    default: undefined,
    valid: 'a path to a YAML file',
    description: `Path of a YAML file with more hosts: a list of \`{${providerKeys.join(', ')}}\`; \`kind\` is ${hostKindsInWords}.`,
  }),
};

/** Every setting, in the order of the help and docs/settings.md. */
export const settings: readonly Setting[] = [...Object.values(serviceSettings), ...hostSettings];
