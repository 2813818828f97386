import type { AccessContext } from '../access/context.ts';
import type { App } from '../http/app.ts';
import { awardRoutes } from './awards/routes.ts';
import { credentialRoutes } from './credentials/routes.ts';
import { revocationRoutes } from './revocations/routes.ts';

/** Registers all routes about awards. */
export function achievementRoutes(app: App, context: AccessContext): void {
  awardRoutes(app, context);
  credentialRoutes(app, context);
  revocationRoutes(app, context);
}
