import type { App } from '../http/app.ts';
import { auditRoutes } from './audit/routes.ts';
import type { AccessContext } from './context.ts';
import { embedRoutes } from './embeds/routes.ts';
import { erasureRoutes } from './erasure/routes.ts';
import { exportRoutes } from './export/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { settingsRoutes } from './settings/routes.ts';
import { statusRoutes } from './status/routes.ts';
import { tokenRoutes } from './tokens/routes.ts';

/** Adds all routes by which owners prove their identity and manage their accounts. */
export function accessRoutes(app: App, context: AccessContext): void {
  tokenRoutes(app, context);
  keyRoutes(app, context);
  settingsRoutes(app, context);
  embedRoutes(app, context);
  auditRoutes(app, context);
  exportRoutes(app, context);
  statusRoutes(app, context);
  erasureRoutes(app, context);
}
