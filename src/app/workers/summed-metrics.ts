import { AggregatorRegistry, Registry } from 'prom-client';
import type { MetricsSource } from '../../http/server/listen.ts';
import { sharing } from '../../model/gauge.ts';
import type { Snapshot } from './messages.ts';

interface Source {
  /** Returns the metrics of a process; undefined when it does not respond in time. */
  metrics(): Promise<Snapshot | undefined>;
}

/**
 * The metrics of the processes of a node: counters, histograms and most gauges are summed. Counts of processes that ended are
 * kept as they were last read, because Prometheus takes a sum that falls for a new start.
 */
export class SummedMetrics implements MetricsSource {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly #own: Registry;
  readonly #lastBySource = new Map<Source, Snapshot>();
  #ended: Snapshot[] = [];

  /** @param own the metrics of the process that sums. */
  constructor(own: Registry) {
    this.#own = own;
  }

  add(source: Source): void {
    this.#lastBySource.set(source, []);
  }

  remove(source: Source): void {
    this.#ended.push((this.#lastBySource.get(source) ?? []).filter(isCount));
    this.#lastBySource.delete(source);
  }

  readonly metrics: () => Promise<string> = sharing(() => this.#sum());

  async #sum(): Promise<string> {
    await Promise.all([...this.#lastBySource.keys()].map((source) => this.#read(source)));
    const count = this.#ended.length;
    const ended = await AggregatorRegistry.aggregate(this.#ended).getMetricsAsJSON();
    this.#ended.splice(0, count, ended);
    const own = (await this.#own.getMetricsAsJSON()).map(withStartTime);
    const all = [own, ...this.#lastBySource.values(), ...this.#ended];
    return AggregatorRegistry.aggregate(all).metrics();
  }

  async #read(source: Source): Promise<void> {
    const snapshot = await source.metrics();
    if (snapshot !== undefined && this.#lastBySource.has(source)) this.#lastBySource.set(source, snapshot);
  }
}

function isCount({ type }: Snapshot[number]): boolean {
  const name: unknown = type;
  return name === 'counter' || name === 'histogram';
}

/** The start of the node is that of this process, the oldest; the library would leave it out. */
function withStartTime(metric: Snapshot[number]): Snapshot[number] {
  return metric.name === 'process_start_time_seconds' ? { ...metric, aggregator: 'first' } : metric;
}
