import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { findProvider, type RouteServices } from '../accounts/resolve.ts';
import { Batches } from '../database/batches.ts';
import { AppError } from '../errors.ts';
import type { App } from '../http/app.ts';
import { problemResponses } from '../http/endpoint.ts';
import { SingleSchema } from '../http/envelope.ts';
import { ProblemSchema } from '../http/problem.ts';
import { deliveriesByAddress } from '../http/rate-limits.ts';
import { senderOf } from '../http/requester.ts';
import { type Bodies, bodyLimits } from './bodies.ts';
import { type Rejections, rejectionReason } from './rejections.ts';
import { type Received, saveDeliveries } from './store.ts';

const maxAtOnce = 200;
/** The time limit of a response after its body was received, in ms. */
const handlerMarginMs = 5000;

const Params = Type.Object({ provider: Type.String({ maxLength: 100 }) });
const Receipt = SingleSchema(
  Type.Object({ delivery: Type.String(), state: Type.Enum(['accepted', 'known', 'ignored']) }),
);

interface DeliveryServices extends Pick<RouteServices, 'connection' | 'providers' | 'now'> {
  rejections: Rejections;
  bodies: Bodies;
}

/** Registers the route for deliveries. They are verified and stored before they are acknowledged, and applied later. */
export function deliveryRoutes(app: App, services: DeliveryServices): void {
  const inbox = new Batches<Received, 'accepted' | 'known'>(maxAtOnce, async (received) => {
    const saved = await saveDeliveries(services.connection, received);
    // When two copies of a delivery arrive at once, the first is `accepted` and the second `known`.
    return received.map(({ provider, id }) => (saved.delete(`${provider} ${id}`) ? 'accepted' : 'known'));
  });
  app.register(async (raw: App) => {
    raw.removeAllContentTypeParsers();
    // The signature is that of the raw bytes. The connection ends after an error, because the rest is not received.
    raw.addContentTypeParser('*', (request: FastifyRequest, stream: Readable) => receive(services, request, stream));
    raw.post(
      '/v1/:provider/webhooks',
      {
        config: { rateLimit: deliveriesByAddress },
        handlerTimeout: bodyLimits.timeoutMs + handlerMarginMs,
        schema: {
          summary: 'Deliveries from the provider, signed with the secret that is configured for it',
          params: Params,
          response: { ...problemResponses, 202: Receipt, 408: ProblemSchema, 413: ProblemSchema },
        },
      },
      async (request, reply) => {
        // The framework does not parse a request without a body.
        const received =
          request.body instanceof ReceivedDelivery
            ? request.body.delivery
            : (await receive(services, request, Readable.from([]))).delivery;
        const state = received.changes.length === 0 ? 'ignored' : await inbox.add(received);
        return reply.code(202).header('cache-control', 'no-store').send(receipt(received.id, state));
      },
    );
  });
}

/** A delivery in place of the body of its request. */
class ReceivedDelivery {
  readonly delivery: Received;

  constructor(delivery: Received) {
    this.delivery = delivery;
  }
}

/**
 * Receives and reads a delivery, and counts it when it is rejected. The headers are checked before the body is
 * received.
 * @throws AppError of the provider or of the limits of bodies.
 */
async function receive(
  services: DeliveryServices,
  { params, headers, ip }: FastifyRequest,
  stream: Readable,
): Promise<ReceivedDelivery> {
  const { provider: name }: { provider?: unknown } = Object(params);
  const provider = findProvider(services.providers, String(name));
  if (headers['content-encoding'] !== undefined) {
    services.rejections.add(provider.name, 'compressed');
    throw new AppError('invalid_input', 'Deliveries must not be compressed.');
  }
  try {
    if (provider.deliveries === undefined) throw new AppError('not_found', 'This provider sends no deliveries.');
    const reader = provider.deliveries.read(headers);
    const length = headers['content-length'];
    const declaredBytes = length === undefined ? undefined : Number(length);
    const delivery = await services.bodies.receive(
      { stream, sender: senderOf(ip), declaredBytes },
      (bytes) => reader.update(bytes),
      (body) => reader.finish(body),
    );
    return new ReceivedDelivery({ ...delivery, provider: provider.name, receivedAt: services.now() });
  } catch (error) {
    const reason = rejectionReason(error);
    if (reason !== undefined) services.rejections.add(provider.name, reason);
    throw error;
  }
}

function receipt(delivery: string, state: 'accepted' | 'known' | 'ignored') {
  return {
    meta_data: { count: 1, data_type: 0 },
    data: { delivery, state },
  };
}
