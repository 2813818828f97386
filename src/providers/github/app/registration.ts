/** What a GitHub App for this service has to be, and how it is registered. */

/** The name of an installation as a credential. */
export function accessOf(installation: string): string {
  return `installation:${installation}`;
}

/** The least that shows everything that is collected: all of it to read, nothing to write. */
const permissions = ['metadata', 'contents', 'issues', 'pull_requests', 'discussions', 'members'] as const;
/** What telling of awards and of faulty files takes besides: comments in discussions, and check runs. */
const writing = { discussions: 'write', checks: 'write' } as const;
/** Users have none. */
const ofOrganizations: ReadonlySet<string> = new Set(['members']);

/** @param given as GitHub tells it: `read`, `write` or `admin`, by name. */
export function missingPermissions(given: Readonly<Record<string, string>>, target: 'User' | 'Organization'): string[] {
  return permissions.filter(
    (name) => given[name] === undefined && (target === 'Organization' || !ofOrganizations.has(name)),
  );
}

/**
 * The address of the form that registers an App, filled in.
 * https://docs.github.com/apps/sharing-github-apps/registering-a-github-app-using-url-parameters
 * @param app.url of GitHub, for people.
 * @param app.organization that is to own the App; undefined: whoever opens the form.
 * @param app.mayTell whether it may write what it tells in discussions and on commits.
 */
export function registrationUrl(app: {
  url: string;
  organization: string | undefined;
  mayTell: boolean;
  publicUrl: string;
  webhookUrl: string;
  events: readonly string[];
}): string {
  const place = app.organization === undefined ? '' : `/organizations/${encodeURIComponent(app.organization)}`;
  const address = new URL(`${app.url}${place}/settings/apps/new`);
  const reading = Object.fromEntries(permissions.map((name) => [name, 'read']));
  const asked: Record<string, string> = { ...reading, ...(app.mayTell ? writing : {}) };
  const parameters: [string, string][] = [
    ['name', 'Plaudit'],
    ['description', 'Counts contributions.'],
    ['url', app.publicUrl],
    ['public', 'false'],
    ['webhook_active', 'true'],
    ['webhook_url', app.webhookUrl],
    ...Object.entries(asked),
    ...app.events.map((name): [string, string] => ['events[]', name]),
  ];
  for (const [name, value] of parameters) address.searchParams.append(name, value);
  return address.href;
}
