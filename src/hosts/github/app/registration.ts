/** Returns the credential name of an installation. */
export function toCredentialName(installation: string): string {
  return `installation:${installation}`;
}

/** The permissions for reading everything that the service collects; `read` is enough for each. */
const permissions = ['metadata', 'contents', 'issues', 'pull_requests', 'discussions', 'members'] as const;
/** The further permissions for comments about awards in discussions, and for check runs on faulty files. */
const writing = { discussions: 'write', checks: 'write' } as const;
/** The permissions that exist only for organizations. */
const ofOrganizations: ReadonlySet<string> = new Set(['members']);

/**
 * Returns the names of the permissions that an installation lacks.
 * @param granted the granted permissions: `read`, `write` or `admin`, by name.
 */
export function missingPermissions(
  granted: Readonly<Record<string, string>>,
  target: 'User' | 'Organization',
): string[] {
  return permissions.filter(
    (name) => granted[name] === undefined && (target === 'Organization' || !ofOrganizations.has(name)),
  );
}

/**
 * Returns the URL of GitHub's form for registering an App, with the fields filled in.
 * https://docs.github.com/apps/sharing-github-apps/registering-a-github-app-using-url-parameters
 * @param app.url the URL of GitHub's website.
 * @param app.organization the organization that will own the App; undefined: the user who opens the form.
 * @param app.canWrite true when the App may comment in discussions and write check runs on commits.
 */
export function registrationUrl(app: {
  url: string;
  organization: string | undefined;
  canWrite: boolean;
  publicUrl: string;
  webhookUrl: string;
  /** The address to which GitHub sends people back after they signed in with the App. */
  callbackUrl: string;
  events: readonly string[];
}): string {
  const settingsPath = app.organization === undefined ? '' : `/organizations/${encodeURIComponent(app.organization)}`;
  const address = new URL(`${app.url}${settingsPath}/settings/apps/new`);
  const reading = Object.fromEntries(permissions.map((name) => [name, 'read']));
  const requestedPermissions: Record<string, string> = { ...reading, ...(app.canWrite ? writing : {}) };
  const parameters: [string, string][] = [
    ['name', 'Plaudit'],
    ['description', 'Counts contributions.'],
    ['url', app.publicUrl],
    ['public', 'false'],
    ['callback_urls[]', app.callbackUrl],
    ['webhook_active', 'true'],
    ['webhook_url', app.webhookUrl],
    ...Object.entries(requestedPermissions),
    ...app.events.map((name): [string, string] => ['events[]', name]),
  ];
  for (const [name, value] of parameters) address.searchParams.append(name, value);
  return address.href;
}
