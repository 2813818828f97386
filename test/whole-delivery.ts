import type { Delivery, DeliveryReader } from '../src/hosts/interface/provider.ts';

/** Reads a delivery whose body is received as one chunk. */
export function wholeDelivery(reader: DeliveryReader, body: string | Buffer): Delivery {
  const bytes = Buffer.from(body);
  reader.update(bytes);
  return reader.finish(bytes);
}
