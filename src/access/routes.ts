import type { App } from '../http/app.ts';
import { auditRoutes } from './audit/routes.ts';

import { embedRoutes } from './embeds/routes.ts';
import { erasureRoutes } from './erasure/routes.ts';
import { exportRoutes } from './export/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import type { AccessServices } from './services.ts';
import { settingsRoutes } from './settings/routes.ts';
import { statusRoutes } from './status/routes.ts';
import { tokenRoutes } from './tokens/routes.ts';

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
