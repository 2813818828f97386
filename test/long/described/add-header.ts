import type { FastifyInstance } from 'fastify';

/** Adds a header that is not described to the responses of an application that is being created. */
export function addHeader(message: unknown): void {
  const { fastify } = message as { fastify: FastifyInstance };
  fastify.addHook('onRequest', async (_request, reply) => void reply.header('x-undescribed', '1'));
}
