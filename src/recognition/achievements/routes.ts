import type { AccessServices } from '../../accounts/access/services.ts';
import type { App } from '../../http/server/app.ts';
import { awardRoutes } from './awards/routes.ts';
import { credentialRoutes, verificationRoutes } from './credentials/routes.ts';
import type { ParsedFiles } from './files/read-file.ts';
import { revocationRoutes } from './revocations/routes.ts';

/** Registers all routes about awards. */
export function achievementRoutes(app: App, services: AccessServices & { parsedFiles: ParsedFiles }): void {
  awardRoutes(app, services);
  credentialRoutes(app, services);
  verificationRoutes(app, services);
  revocationRoutes(app, services);
}
