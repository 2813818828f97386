import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { findProvider, type RouteServices } from '../../accounts/resolve.ts';
import { Batches } from '../../database/reads/batches.ts';
import { SingleSchema, single } from '../../http/pipeline/envelope.ts';
import { ProblemSchema } from '../../http/pipeline/problem.ts';
import { deliveriesByAddress } from '../../http/pipeline/rate-limits.ts';
import { toSender } from '../../http/pipeline/requester.ts';
import type { App } from '../../http/server/app.ts';
import { AppError } from '../../model/errors.ts';
import { type Bodies, bodyLimits } from './bodies.ts';
import { type Rejections, rejectionReason } from './rejection-store.ts';
import { type Received, saveDeliveries } from './store.ts';

const maxAtOnce = 200;
/** The time limit of a response after its body was received, in ms. */
const handlerMarginMs = 5000;

const Receipt = Type.Object(
  {
    delivery: Type.String({ description: 'Its id at the host.' }),
    state: Type.Enum(['accepted', 'known', 'ignored'], { description: '`known`: it was received before.' }),
  },
  { title: 'Receipt' },
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
    // The description of the API has a path for each host: `/v1/{provider}/webhooks` could also be `/v1/embeds/{secret}`.
    for (const name of [...services.providers.keys(), ':provider']) {
      raw.post(
        `/v1/${name}/webhooks`,
        {
          config: { rateLimit: deliveriesByAddress },
          handlerTimeout: bodyLimits.timeoutMs + handlerMarginMs,
          schema: {
            operationId: `receiveDelivery-${name}`,
            tags: ['Hosts'],
            summary: `Deliveries from ${name}, signed with the secret that is configured for it`,
            hide: name === ':provider',
            security: [],
            response: { 202: SingleSchema(Receipt), 404: ProblemSchema, 408: ProblemSchema },
          },
        },
        async (request, reply) => {
          // The framework does not parse a request without a body.
          const received =
            request.body instanceof ReceivedDelivery
              ? request.body.delivery
              : (await receive(services, request, Readable.from([]))).delivery;
          const state = received.changes.length === 0 ? 'ignored' : await inbox.add(received);
          return reply
            .code(202)
            .header('cache-control', 'no-store')
            .send(single('unknown', { delivery: received.id, state }));
        },
      );
    }
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
  { url, headers, ip }: FastifyRequest,
  stream: Readable,
): Promise<ReceivedDelivery> {
  const [, , name = ''] = url.split('/', 3);
  const provider = findProvider(services.providers, name);
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
      { stream, sender: toSender(ip), declaredBytes },
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
