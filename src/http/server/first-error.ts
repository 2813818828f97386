import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from './app.ts';

type Respond = (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/**
 * Lets the first error of a request have its response. A second one may follow while that is being made: a handler ends
 * with an error after its time limit, or the limit passes while an image of the error is drawn. Fastify leaves a second
 * error to the handler of the scope around, and to its own one outside of all, which sends a message that nothing
 * describes (`lib/error-handler.js`). So the routes are in a scope of their own, and both handlers are the same.
 * @param register adds the routes.
 */
export async function respondToFirstErrors(app: App, respond: Respond, register: (app: App) => void): Promise<void> {
  const responses = new WeakMap<FastifyRequest, Promise<FastifyReply>>();
  const handle: Respond = (error, request, reply) => {
    const response = responses.get(request) ?? respond(error, request, reply);
    responses.set(request, response);
    return response;
  };
  app.setErrorHandler(handle);
  await app.register(async (routes: App) => {
    routes.setErrorHandler(handle);
    register(routes);
  });
}
