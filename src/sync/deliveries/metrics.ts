import { Counter, Gauge, type Registry } from 'prom-client';
import { Bodies, bodyLimits } from './bodies.ts';

export interface DeliveryMetrics {
  /** Counts a delivery that did not arrive. */
  countMissed(provider: string): void;
}

export function createDeliveryMetrics(registry: Registry): DeliveryMetrics {
  const missed = new Counter({
    name: 'plaudit_deliveries_missed_total',
    help: 'Deliveries that did not arrive and were requested again, by provider.',
    labelNames: ['provider'],
    registers: [registry],
  });
  return { countMissed: (provider) => missed.inc({ provider }) };
}

/** Returns the budget of bodies that are being received, and reports the memory that they occupy. */
export function openBodies(registry: Registry, now: () => Date): Bodies {
  const bodies = new Bodies(bodyLimits, now);
  const gauge: Gauge = new Gauge({
    name: 'plaudit_delivery_body_bytes',
    help: 'Bytes of memory of the bodies of deliveries that are being received.',
    registers: [registry],
    collect: () => gauge.set(bodies.bytes),
  });
  return bodies;
}
