import type { AccessServices } from '../../accounts/access/services.ts';
import type { App } from '../../http/server/app.ts';
import { awardRoutes } from './awards/routes.ts';
import { credentialRoutes, verificationRoutes } from './credentials/routes.ts';
import type { AchievementFiles } from './files/achievement-files.ts';
import { revocationRoutes } from './revocations/routes.ts';

/** Registers all routes about awards. */
export function achievementRoutes(app: App, services: AccessServices & { achievementFiles: AchievementFiles }): void {
  awardRoutes(app, services);
  credentialRoutes(app, services);
  verificationRoutes(app, services);
  revocationRoutes(app, services);
}
