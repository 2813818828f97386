import { Type } from 'typebox';
import { findProvider, type RouteServices } from '../accounts/resolve.ts';
import { Batches } from '../database/batches.ts';
import { AppError } from '../errors.ts';
import type { App } from '../http/app.ts';
import { problemResponses } from '../http/endpoint.ts';
import { SingleSchema } from '../http/envelope.ts';
import { ProblemSchema } from '../http/problem.ts';
import type { Delivery, DeliveryHeaders, Provider } from '../providers/provider.ts';
import { type RejectionReason, type Rejections, rejectionReason } from './rejections.ts';
import { type Received, saveDeliveries } from './store.ts';

/** GitHub's limit for the payload of a delivery. */
const maxBodyBytes = 25 * 1024 * 1024;
const maxAtOnce = 200;

const Params = Type.Object({ provider: Type.String({ maxLength: 100 }) });
const Receipt = SingleSchema(
  Type.Object({ delivery: Type.String(), state: Type.Enum(['accepted', 'known', 'ignored']) }),
);

/** Registers the route for deliveries. They are verified and stored before they are acknowledged, and applied later. */
export function deliveryRoutes(
  app: App,
  services: Pick<RouteServices, 'connection' | 'providers' | 'now'> & { rejections: Rejections },
): void {
  const inbox = new Batches<Received, 'accepted' | 'known'>(maxAtOnce, async (received) => {
    const saved = await saveDeliveries(services.connection, received);
    // When two copies of a delivery arrive at once, the first is `accepted` and the second `known`.
    return received.map(({ provider, id }) => (saved.delete(`${provider} ${id}`) ? 'accepted' : 'known'));
  });
  // The signature is that of the raw bytes, so no parser may read the body first.
  app.register(async (raw: App) => {
    raw.removeAllContentTypeParsers();
    raw.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_request, body, done) => {
      done(null, body);
    });
    raw.addHook('onError', async (request, _reply, error) => {
      if ('code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') count(services, request.params, 'too_large');
    });
    raw.post(
      '/v1/:provider/webhooks',
      {
        bodyLimit: maxBodyBytes,
        config: { rateLimit: false },
        schema: {
          summary: 'Deliveries from the provider, signed with the secret that is configured for it',
          params: Params,
          response: { ...problemResponses, 202: Receipt, 413: ProblemSchema },
        },
      },
      async (request, reply) => {
        const provider = findProvider(services.providers, request.params.provider);
        if (request.headers['content-encoding'] !== undefined) {
          count(services, request.params, 'compressed');
          throw new AppError('invalid_input', 'Deliveries must not be compressed.');
        }
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const delivery = readDelivery(services, provider, request.headers, body);
        const received = { ...delivery, provider: provider.name, receivedAt: services.now() };
        const state = delivery.changes.length === 0 ? 'ignored' : await inbox.add(received);
        return reply.code(202).header('cache-control', 'no-store').send(receipt(delivery.id, state));
      },
    );
  });
}

/** Reads a delivery, and counts it when it is rejected. @throws AppError that the provider throws. */
function readDelivery(
  services: { rejections: Rejections },
  provider: Provider,
  headers: DeliveryHeaders,
  body: Buffer,
): Delivery {
  try {
    if (provider.deliveries === undefined) throw new AppError('not_found', 'This provider sends no deliveries.');
    return provider.deliveries.read(headers, body);
  } catch (error) {
    const reason = rejectionReason(error);
    if (reason !== undefined) services.rejections.add(provider.name, reason);
    throw error;
  }
}

/** Counts a delivery that was rejected before the provider read it. */
function count(
  { providers, rejections }: Pick<RouteServices, 'providers'> & { rejections: Rejections },
  params: unknown,
  reason: RejectionReason,
): void {
  const { provider }: { provider?: unknown } = Object(params);
  if (typeof provider === 'string' && providers.has(provider)) rejections.add(provider, reason);
}

function receipt(delivery: string, state: 'accepted' | 'known' | 'ignored') {
  return {
    meta_data: { count: 1, data_type: 0 },
    data: { delivery, state },
  };
}
