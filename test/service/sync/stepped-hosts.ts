import * as gitea from '../../e2e/gitea/fixture.ts';
import * as gitlab from '../../e2e/gitlab/fixture.ts';
import { startSteppedService } from './stepped-service.ts';

/** Services on simulated hosts whose jobs run when a test says so. */

export const openSteppedGitea = (): Promise<gitea.Fixture & AsyncDisposable> =>
  gitea.openFixture({ start: startSteppedService });
export const openSteppedGitLab = (): Promise<gitlab.Fixture & AsyncDisposable> =>
  gitlab.openFixture(startSteppedService);

export const withSteppedGitea = (
  check: (fixture: gitea.Fixture) => Promise<void>,
  options: { isClosed?: boolean } = {},
): Promise<void> => gitea.withService(check, { ...options, start: startSteppedService });
export const withSteppedGitLab = (check: (fixture: gitlab.Fixture) => Promise<void>): Promise<void> =>
  gitlab.withService(check, startSteppedService);
