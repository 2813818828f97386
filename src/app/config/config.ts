import {
  type ProviderConfig,
  parseProviders,
  readEnvironmentHosts,
  reservedSegments,
} from '../../hosts/config/hosts.ts';
import { misconfigured, type Setting } from '../../hosts/config/setting.ts';
import {
  type Environment,
  type ReadFile,
  readSettingFile,
  readText,
  rejectMisspelledSettings,
  settingText,
  withoutServiceLinks,
} from './environment.ts';
import { serviceSettings } from './settings.ts';

type Values<Table> = { [Field in keyof Table]: Table[Field] extends Setting<infer Result> ? Result : never };
type ServiceValues = Values<typeof serviceSettings>;

/** The configuration of a service: one field for each of `serviceSettings`, and the hosts. */
export interface Config extends Omit<ServiceValues, 'providersFile'> {
  /** True when METRICS_PORT is set. When another program uses the default port, the service starts without metrics. */
  metricsPortIsSet: boolean;
  providers: ProviderConfig[];
}

/** The settings that lead to the database. */
export type DatabaseSettings = Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'databaseReplicaUrl' | 'dataDir'>;

/**
 * Reads the settings from an environment.
 * @throws AppError `misconfigured`, with one line that names the setting and never its value.
 */
export function readConfig(variables: Environment, readFile: ReadFile = readText): Config {
  const environment = withoutServiceLinks(variables);
  rejectMisspelledSettings(environment);
  const read = <Result>(setting: Setting<Result>): Result => setting.parse(settingText(setting, environment, readFile));
  const { providersFile, ...service } = readServiceSettings(read);
  const hosts = readEnvironmentHosts(read);
  const providers =
    providersFile === undefined ? hosts : [...hosts, ...readProvidersFile(providersFile, hosts, readFile)];
  requireOwnPath(service, providers);
  return {
    ...service,
    metricsPortIsSet: Boolean(environment['METRICS_PORT']),
    providers,
  };
}

/**
 * Checks that no address of the service begins with the path of its public URL: whether a proxy has stripped the path of a
 * request is not known then.
 */
function requireOwnPath({ publicUrl }: Pick<ServiceValues, 'publicUrl'>, providers: readonly ProviderConfig[]): void {
  const [, first = ''] = publicUrl === undefined ? [] : new URL(publicUrl).pathname.split('/');
  if (reservedSegments.has(first) || providers.some(({ name }) => name === first)) {
    throw misconfigured('PUBLIC_URL: its path begins with an address of the service; choose another path');
  }
}

/**
 * Reads the settings of the database alone, for commands that need nothing else.
 * @throws AppError `misconfigured` as `readConfig`.
 */
export function readDatabaseSettings(environment: Environment, readFile: ReadFile = readText): DatabaseSettings {
  rejectMisspelledSettings(environment);
  const read = <Result>(setting: Setting<Result>): Result => setting.parse(settingText(setting, environment, readFile));
  return {
    databaseUrl: read(serviceSettings.databaseUrl),
    databaseDirectUrl: read(serviceSettings.databaseDirectUrl),
    databaseReplicaUrl: read(serviceSettings.databaseReplicaUrl),
    dataDir: read(serviceSettings.dataDir),
  };
}

function readServiceSettings(read: (setting: Setting) => unknown): ServiceValues {
  const fields = Object.entries(serviceSettings).map(([field, setting]) => ({ [field]: read(setting) }));
  return Object.assign({}, ...fields);
}

function readProvidersFile(path: string, hosts: readonly ProviderConfig[], readFile: ReadFile): ProviderConfig[] {
  const taken = hosts.map(({ name }) => name);
  return parseProviders(readSettingFile('PROVIDERS_FILE', path, readFile), taken);
}
