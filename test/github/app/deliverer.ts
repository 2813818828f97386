import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Random } from '../world/random.ts';

/** Something that is to be delivered. */
export interface Delivery {
  event: string;
  action: string | null;
  installationId: number | null;
  repositoryId: number | null;
  payload: object;
}

/** How badly it goes, as probabilities. */
export interface DeliveryPolicy {
  /** It is never sent, and is on record as one that timed out. */
  loss: number;
  /** It arrives, but the answer comes too late: on record as one that timed out. */
  late: number;
  /** It is sent twice. */
  repetition: number;
  /** It waits until the next one has been sent. */
  reordering: number;
  /** Each waits for a time of at most this. */
  delayMs: number;
}

/** One attempt at a delivery, as GitHub keeps it on record. */
export interface Attempt extends Delivery {
  id: number;
  guid: string;
  at: Date;
  isRedelivery: boolean;
  durationS: number;
  status: string;
  /** 0: there was no answer at all. */
  statusCode: number;
  headers: Record<string, string>;
  body: string;
  answer: string;
}

const smooth: DeliveryPolicy = { loss: 0, late: 0, repetition: 0, reordering: 0, delayMs: 0 };
/** GitHub itself gives up after this time. */
const answerTimeoutMs = 10_000;

interface Sending {
  delivery: Delivery;
  guid: string;
  isRedelivery: boolean;
}

/** Sends what an App is told, and keeps every attempt on record. */
export class Deliverer {
  /** Where to, signed with which secret; null: nothing is sent. */
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
    for (const held of this.#held.splice(0)) this.#begin(held);
  }

  /** Sends what an attempt was about once more. @returns false when there is no such attempt. */
  redeliver(id: number): boolean {
    const attempt = this.attempts.find((one) => one.id === id);
    if (attempt === undefined || this.target === null) return false;
    this.#begin({ delivery: attempt, guid: attempt.guid, isRedelivery: true });
    return true;
  }

  /** Nothing is held back or on its way any more. */
  async idle(): Promise<void> {
    for (const held of this.#held.splice(0)) this.#begin(held);
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

type Answered = Pick<Attempt, 'status' | 'statusCode' | 'answer'>;

const timedOut: Answered = { status: 'timed out', statusCode: 504, answer: '' };

async function post(url: string, headers: Record<string, string>, body: string): Promise<Answered> {
  try {
    const signal = AbortSignal.timeout(answerTimeoutMs);
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
    const answer = await response.text();
    const status = response.ok ? 'OK' : `Invalid HTTP Response: ${response.status}`;
    return { status, statusCode: response.status, answer };
  } catch {
    return { status: 'failed to connect to host', statusCode: 0, answer: '' };
  }
}
