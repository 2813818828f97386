import { type CredentialReport, type MissingPermission, reportOn } from '../../interface/diagnosis.ts';
import type { Call } from '../../interface/provider.ts';
import { subscribedEvents } from '../webhooks.ts';
import type { GitHubApp } from './github-app.ts';
import { missingPermissions } from './registration.ts';

/** Reports whether GitHub accepts the App's id and key, and which permissions and events its registration lacks. */
export function describeApp(app: GitHubApp, now: () => Date, call: Call): Promise<CredentialReport> {
  return reportOn({ kind: 'app', label: 'the GitHub App', credentialName: null }, async () => {
    const startedAt = now();
    const { slug, owner, permissions, events } = await app.identify(call);
    const latencyMs = now().getTime() - startedAt.getTime();
    const missingEvents = app.takesDeliveries ? subscribedEvents.filter((event) => !events.includes(event)) : [];
    const missing: MissingPermission[] = [
      ...missingPermissions(permissions, 'Organization').map((name) => ({
        name: `the permission "${name}" (read)`,
        neededFor: `${name.replaceAll('_', ' ')} of everybody who installs it`,
        isRequired: true,
      })),
      ...missingEvents.map((name) => ({
        name: `the event "${name}"`,
        neededFor: 'hearing of changes within seconds',
        isRequired: false,
      })),
    ];
    return { latencyMs, holder: owner === null ? slug : `${slug}, owned by ${owner}`, sees: 'private', missing };
  });
}
