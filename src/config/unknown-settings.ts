import { type Environment, fileVariable } from './environment.ts';
import { misconfigured } from './misconfigured.ts';
import { settings } from './settings.ts';

/** Prefixes of this service's own settings; an unknown name that begins like this is a mistake. */
const ownPrefixes =
  /^(PLAUDIT|DATABASE_URL|DATA_DIR|LOOKUP|FRESH_FOR|TOKEN_TTL|RATE_LIMIT|TRUST_PROXY|OUTBOUND|METRICS_PORT|PROVIDERS_FILE|LOG_LEVEL|PUBLIC_URL)/;
const providerPrefixes = /^(GITHUB|GITEA|GITLAB)_/;

/** @throws AppError `misconfigured` with the name of the variable. */
export function rejectUnknownSettings(environment: Environment): void {
  // In a CI build the code host itself sets many variables that begin with its name.
  const isInsideBuild = Boolean(
    environment['GITHUB_ACTIONS'] ?? environment['GITLAB_CI'] ?? environment['GITEA_ACTIONS'],
  );
  const known = new Set(settings.flatMap(({ name, isSecret }) => (isSecret ? [name, fileVariable(name)] : [name])));
  for (const name of Object.keys(environment)) {
    if (known.has(name)) continue;
    if (ownPrefixes.test(name) || (providerPrefixes.test(name) && !isInsideBuild)) {
      const names = settings.map((setting) => setting.name).join(', ');
      throw misconfigured(`${name} is not a setting of this service; the settings are ${names}`);
    }
  }
}
