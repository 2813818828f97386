import { Counter, type Registry } from 'prom-client';

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
