import { auditRoutes } from '../../accounts/access/audit/routes.ts';
import { embedRoutes } from '../../accounts/access/embeds/routes.ts';
import { keyRoutes } from '../../accounts/access/keys/routes.ts';
import type { AccessServices } from '../../accounts/access/services.ts';
import { tokenRoutes } from '../../accounts/access/tokens/routes.ts';
import type { App } from '../../http/server/app.ts';
import { erasureRoutes } from './erasure/routes.ts';
import { exportRoutes } from './export/routes.ts';
import { settingsRoutes } from './settings/routes.ts';
import { statusRoutes } from './status/routes.ts';

/** Adds all routes by which owners prove their identity and manage their accounts. */
export function accessRoutes(app: App, services: AccessServices): void {
  tokenRoutes(app, services);
  keyRoutes(app, services);
  settingsRoutes(app, services);
  embedRoutes(app, services);
  auditRoutes(app, services);
  exportRoutes(app, services);
  statusRoutes(app, services);
  erasureRoutes(app, services);
}
