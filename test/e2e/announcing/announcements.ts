import { type Permissions, readPermissions } from '../../../simulators/github/app/installation.ts';
import type { Simulator } from '../../../simulators/github/simulator.ts';
import { poll } from '../achievements/awarding/awarding.ts';
import { organization, untilRepositoryIs } from '../installations/installed.ts';
import type { TestService } from '../service.ts';

/** Permissions with which the service announces awards and writes checks. */
export const writing: Permissions = { ...readPermissions, discussions: 'write', checks: 'write' };

/** Returns a file whose awards are announced in discussions, each a repository and a title. */
export function fileText(...discussions: [place: string, title: string][]): string {
  return `version: 0.0.1
achievements:
  - achievement:
      name: Reporter
      icon: https://images.example/reporter.png
      description: Opened an issue
      triggers:
        - trigger: { actor: author, action: issue, condition: count() >= 1 }
webhooks:${discussions
    .map(
      ([repository, title], index) => `
  - webhook:
      name: news-${index}
      type: github
      metadata: { discussion: { repository: ${repository}, title: ${title} } }
      events: [ { event: { type: achievement, value: Reporter } } ]`,
    )
    .join('')}
`;
}

/** Has the organization install the service, and waits until its first repository is known. */
export async function install(service: TestService, simulator: Simulator, permissions: Permissions): Promise<void> {
  simulator.app.install(organization(simulator), undefined, permissions);
  await untilRepositoryIs(service, 'engine-1', /installed/);
  await poll(service);
}
