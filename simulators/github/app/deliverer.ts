import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Random } from '../../world/random.ts';

/** An event with its payload, before it is sent. */
export interface Delivery {
  event: string;
  action: string | null;
  installationId: number | null;
  repositoryId: number | null;
  payload: object;
}

/** Probabilities of irregular deliveries. */
export interface DeliveryPolicy {
  /** The delivery is never sent, and is recorded as timed out. */
  loss: number;
  /** The delivery arrives, but its response is too late: it is recorded as timed out. */
  late: number;
  /** The delivery is sent twice. */
  repetition: number;
  /** The delivery waits until the next one has been sent. */
  reordering: number;
  /** The longest random delay of a delivery, in ms. */
  delayMs: number;
}

/** One attempt at a delivery, as GitHub records it. */
export interface Attempt extends Delivery {
  id: number;
  guid: string;
  at: Date;
  isRedelivery: boolean;
  durationS: number;
  status: string;
  /** The status of the response; 0 when there was none. */
  statusCode: number;
  headers: Record<string, string>;
  body: string;
  responseBody: string;
}

const smooth: DeliveryPolicy = { loss: 0, late: 0, repetition: 0, reordering: 0, delayMs: 0 };
/** The time after which GitHub itself gives up, in ms. */
const responseTimeoutMs = 10_000;

interface Sending {
  delivery: Delivery;
  guid: string;
  isRedelivery: boolean;
}

/** Sends events to an App, and records every attempt. */
export class Deliverer {
  /** The address of deliveries and the secret of their signature; null: nothing is sent. */
  target: { url: string; secret: string } | null = null;
  policy: DeliveryPolicy = { ...smooth };
  /** Oldest first. */
  readonly attempts: Attempt[] = [];
  readonly #options: { appId: number; now: () => Date };
  readonly #random: Random;
  readonly #sending = new Set<Promise<void>>();
  #held: Sending[] = [];
  #nextId = 40_000_000;

  constructor(options: { appId: number; now: () => Date; seed: number }) {
    this.#options = options;
    this.#random = new Random(options.seed);
  }

  send(delivery: Delivery): void {
    if (this.target === null) return;
    const sending = { delivery, guid: randomUUID(), isRedelivery: false };
    if (this.#random.chance(this.policy.reordering)) {
      this.#held.push(sending);
      return;
    }
    this.#begin(sending);
    for (const sending of this.#held.splice(0)) this.#begin(sending);
  }

  /** Sends the delivery of an attempt again. @returns false when there is no such attempt. */
  redeliver(id: number): boolean {
    const attempt = this.attempts.find((attempt) => attempt.id === id);
    if (attempt === undefined || this.target === null) return false;
    this.#begin({ delivery: attempt, guid: attempt.guid, isRedelivery: true });
    return true;
  }

  /** Sends held deliveries, and resolves when none is on its way any more. */
  async idle(): Promise<void> {
    for (const sending of this.#held.splice(0)) this.#begin(sending);
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  #begin(sending: Sending): void {
    const times = this.#random.chance(this.policy.repetition) ? 2 : 1;
    for (let count = 0; count < times; count += 1) {
      const work = this.#attempt(sending).finally(() => this.#sending.delete(work));
      this.#sending.add(work);
    }
  }

  async #attempt({ delivery, guid, isRedelivery }: Sending): Promise<void> {
    const { loss, late, delayMs } = this.policy;
    const [isLost, isLate, delay] = [
      this.#random.chance(loss),
      this.#random.chance(late),
      this.#random.next() * delayMs,
    ];
    const { target } = this;
    if (target === null) return;
    const body = JSON.stringify(delivery.payload);
    const headers = this.#headers(delivery, guid, body, target.secret);
    if (delay > 0) await wait(delay);
    const at = this.#options.now();
    const startedAt = performance.now();
    const reply = isLost ? timedOut : await post(target.url, headers, body);
    this.attempts.push({
      ...delivery,
      ...(isLate ? timedOut : reply),
      id: this.#nextId,
      guid,
      at,
      isRedelivery,
      durationS: Math.round(performance.now() - startedAt) / 1000,
      headers,
      body,
    });
    this.#nextId += 1;
  }

  #headers(delivery: Delivery, guid: string, body: string, secret: string): Record<string, string> {
    const sign = (algorithm: string): string => createHmac(algorithm, secret).update(body).digest('hex');
    return {
      accept: '*/*',
      'content-type': 'application/json',
      'user-agent': 'GitHub-Hookshot/simulated',
      'x-github-delivery': guid,
      'x-github-event': delivery.event,
      'x-github-hook-id': String(this.#options.appId),
      'x-github-hook-installation-target-id': String(this.#options.appId),
      'x-github-hook-installation-target-type': 'integration',
      'x-hub-signature': `sha1=${sign('sha1')}`,
      'x-hub-signature-256': `sha256=${sign('sha256')}`,
    };
  }
}

type Outcome = Pick<Attempt, 'status' | 'statusCode' | 'responseBody'>;

const timedOut: Outcome = { status: 'timed out', statusCode: 504, responseBody: '' };

async function post(url: string, headers: Record<string, string>, body: string): Promise<Outcome> {
  try {
    const signal = AbortSignal.timeout(responseTimeoutMs);
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
    const responseBody = await response.text();
    const status = response.ok ? 'OK' : `Invalid HTTP Response: ${response.status}`;
    return { status, statusCode: response.status, responseBody };
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return timedOut;
    return { status: 'failed to connect to host', statusCode: 0, responseBody: '' };
  }
}
