import * as gitea from '../../e2e/gitea/scene.ts';
import * as gitlab from '../../e2e/gitlab/scene.ts';
import { startSteppedService } from './stepped-service.ts';

/** Services on simulated hosts whose jobs run when a test says so. */

export const openGitea = (): Promise<gitea.Scene & AsyncDisposable> => gitea.openScene({ begin: startSteppedService });
export const openGitLab = (): Promise<gitlab.Scene & AsyncDisposable> => gitlab.openScene(startSteppedService);

export const inGitea = (
  check: (scene: gitea.Scene) => Promise<void>,
  options: { isClosed?: boolean } = {},
): Promise<void> => gitea.inService(check, { ...options, begin: startSteppedService });
export const inGitLab = (check: (scene: gitlab.Scene) => Promise<void>): Promise<void> =>
  gitlab.inService(check, startSteppedService);
