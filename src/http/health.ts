import { Type } from 'typebox';
import { AppError } from '../errors.ts';
import type { App } from './app.ts';
import { ProblemSchema } from './problem.ts';

const Status = Type.Object({ status: Type.String() });

/**
 * Adds `/healthz`, which shows that the process runs, and `/readyz`, which shows that it can serve requests.
 * @param findFault returns what keeps it from serving requests; undefined: nothing.
 */
export function healthRoutes(app: App, findFault: () => Promise<string | undefined>): void {
  app.get(
    '/healthz',
    { schema: { summary: 'The process runs', response: { 200: Status } }, config: { rateLimit: false } },
    async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  );
  app.get(
    '/readyz',
    {
      schema: { summary: 'Requests can be served', response: { 200: Status, 503: ProblemSchema } },
      config: { rateLimit: false },
    },
    async (_request, reply) => {
      const fault = await findFault();
      if (fault !== undefined) throw new AppError('provider_unavailable', fault);
      return reply.header('cache-control', 'no-store').send({ status: 'ready' });
    },
  );
}
