import type { ProviderConfig } from '../../../hosts/config/hosts.ts';

/** The stored data that findings about a host need in addition to the host's responses. */
export interface HostContext {
  now: Date;
  /** False when the service accepts no deliveries from hosts of this kind. */
  sendsDeliveries: boolean;
  /** The number of stored private repositories that each credential shows, by the credential's name. */
  shown: ReadonlyMap<string, number>;
  /** Names of accounts that installed the App, by the name of the installation as a credential. */
  installedOn: ReadonlyMap<string, string>;
}

const fileKeys = { token: 'token', webhookSecret: 'webhook_secret', app: 'app_id and app_private_key' } as const;
const variables = { token: ['TOKEN'], webhookSecret: ['WEBHOOK_SECRET'], app: ['APP_ID', 'APP_PRIVATE_KEY'] } as const;

/** Returns the name of a host's setting in PROVIDERS_FILE, or its environment variables, by where the host is set. */
export function formatSetting({ name, source }: ProviderConfig, setting: keyof typeof fileKeys): string {
  if (source === 'file') return `${fileKeys[setting]} of ${name} in PROVIDERS_FILE`;
  return variables[setting].map((variable) => `${name.toUpperCase()}_${variable}`).join(' and ');
}
