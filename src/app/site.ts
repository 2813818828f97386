import { hostKinds } from '../hosts/config/host-settings.ts';
import { locales } from '../views/languages/texts.ts';
import type { Site } from '../views/pages/layout/layout.ts';
import type { Logo } from '../views/pages/layout/logo.ts';
import { stylePath } from '../views/pages/layout/style.ts';
import type { Config } from './config/config.ts';

/** Returns the site of a running service, as the operator configured it. */
export function toSite(
  config: Config,
  service: { publicUrl: () => string; signInHosts: () => readonly string[]; logo: Logo | undefined },
): Site {
  return {
    name: config.siteName,
    logo: service.logo,
    imprintUrl: config.imprintUrl,
    isIndexed: config.siteIndexed,
    publicUrl: service.publicUrl,
    signInHosts: service.signInHosts,
    providers: config.providers.map(({ name }) => name),
    profileUrl: profileUrls(config),
    findKind: (provider) => {
      const configured = config.providers.find(({ name }) => name === provider);
      return hostKinds.find((kind) => kind === configured?.kind);
    },
    stylePath,
    locales,
    example: config.siteExample,
  };
}

/** Returns the site of a service that starts: it has no code hosts with which people can sign in, and its logo is not read. */
export function toStartingSite(config: Config): Site {
  const publicUrl = (): string => config.publicUrl ?? '';
  return toSite(config, { publicUrl, signInHosts: () => [], logo: undefined });
}

/** Returns a function that builds the URL of an account's page, from the operator's settings of its provider. */
function profileUrls({ providers }: Config): (provider: string, name: string) => string {
  const urls = new Map(providers.map(({ name, url }) => [name, url]));
  return (provider, name) => `${urls.get(provider) ?? ''}/${name.split('/').map(encodeURIComponent).join('/')}`;
}
