import { Type } from 'typebox';
import { AppError } from '../../model/errors.ts';
import type { App } from './app.ts';

const Health = Type.Object({ status: Type.Enum(['ok', 'ready']) }, { title: 'Health' });
const shared = { tags: ['Service'], security: [], response: { 200: Health } };

/**
 * Adds `/healthz`, which shows that the process runs, and `/readyz`, which shows that it can serve requests.
 * @param findFault returns the reason why the process cannot serve requests; undefined when it can.
 */
export function healthRoutes(app: App, findFault: () => Promise<string | undefined>): void {
  app.get(
    '/healthz',
    { schema: { ...shared, operationId: 'getHealth', summary: 'The process runs' }, config: { rateLimit: false } },
    async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  );
  app.get(
    '/readyz',
    {
      schema: { ...shared, operationId: 'getReadiness', summary: 'Requests can be served' },
      config: { rateLimit: false },
    },
    async (_request, reply) => {
      const fault = await findFault();
      if (fault !== undefined) throw new AppError('provider_unavailable', fault);
      return reply.header('cache-control', 'no-store').send({ status: 'ready' });
    },
  );
}
