import type { Readable } from 'node:stream';
import { Counter, Gauge, type Registry } from 'prom-client';
import { AppError } from '../../model/errors.ts';

const firstBytes = 16_384;

/**
 * The bytes of a body while it is received, in one block of memory. Chunks are copied, because each one that is kept
 * costs more than a hundred bytes: a body in chunks of one byte would occupy a hundred times its length.
 */
export class GrowingBuffer {
  readonly #most: number;
  #block = Buffer.alloc(0);
  #length = 0;

  /** @param most the most bytes that are appended. */
  constructor(most: number) {
    this.#most = most;
  }

  get length(): number {
    return this.#length;
  }

  /** The bytes of memory in use. */
  get capacity(): number {
    return this.#block.length;
  }

  /** Returns the bytes of memory in use after an append. */
  capacityWith(bytes: number): number {
    const needed = this.#length + bytes;
    if (needed <= this.#block.length) return this.#block.length;
    return Math.max(needed, Math.min(this.#most, Math.max(firstBytes, this.#block.length * 2)));
  }

  append(chunk: Buffer): void {
    const capacity = this.capacityWith(chunk.length);
    if (capacity > this.#block.length) {
      const grown = Buffer.allocUnsafeSlow(capacity);
      this.#block.copy(grown, 0, 0, this.#length);
      this.#block = grown;
    }
    chunk.copy(this.#block, this.#length);
    this.#length += chunk.length;
  }

  bytes(): Buffer {
    return this.#block.subarray(0, this.#length);
  }
}

export interface BodyLimits {
  /** The most bytes of all bodies that are being received. */
  allBytes: number;
  /** The most of them from one sender, so that no single client can use up all. */
  senderBytes: number;
  bodyBytes: number;
  /** The longest time in which a body may be received, in ms. */
  timeoutMs: number;
}

const mebibyte = 1024 * 1024;

/**
 * GitHub's limit for a payload is 25 MB, and it gives up a delivery after 10 seconds:
 * https://docs.github.com/en/webhooks/webhook-events-and-payloads and
 * https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks
 */
export const bodyLimits: BodyLimits = {
  allBytes: 64 * mebibyte,
  senderBytes: 32 * mebibyte,
  bodyBytes: 25 * mebibyte,
  timeoutMs: 10_000,
};

/** A body that is still to be received. */
export interface IncomingBody {
  stream: Readable;
  /** The address or network of the sender. */
  sender: string;
  /** The `Content-Length`; undefined when the length is not known before the end. */
  declaredBytes: number | undefined;
}

const retryAfterMs = 10_000;

/**
 * Receives bodies of deliveries within a common budget of memory, because a signature is known to be wrong only at the
 * end of the body. Bytes count as they are received, not as they are declared, so that slow senders hold little.
 */
export class Bodies {
  readonly #limits: BodyLimits;
  readonly #now: () => Date;
  readonly #bytesBySender = new Map<string, number>();
  #bytes = 0;

  constructor(limits: BodyLimits, now: () => Date) {
    this.#limits = limits;
    this.#now = now;
  }

  /** The bytes of memory that bodies occupy at present. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Receives a body and reads it. After an error no further byte is received.
   * @param update takes each chunk as soon as it is received.
   * @param read reads the whole body, which counts against the budget until then.
   * @throws AppError `payload_too_large`, `overloaded`, or `too_slow`, also when the connection ends early; any error of
   * `update` and `read`.
   */
  async receive<Result>(
    { stream, sender, declaredBytes }: IncomingBody,
    update: (bytes: Buffer) => void,
    read: (body: Buffer) => Result,
  ): Promise<Result> {
    this.#checkLength(declaredBytes ?? 0);
    if (!this.#hasRoom(sender, declaredBytes ?? 0)) throw this.#overloaded();
    const body = new GrowingBuffer(Math.min(declaredBytes ?? this.#limits.bodyBytes, this.#limits.bodyBytes));
    let held = 0;
    const release = (): void => {
      this.#add(sender, -held);
      held = 0;
    };
    const take = (chunk: Buffer): void => {
      this.#checkLength(body.length + chunk.length);
      const added = body.capacityWith(chunk.length) - body.capacity;
      if (!this.#hasRoom(sender, added)) throw this.#overloaded();
      body.append(chunk);
      this.#add(sender, added);
      held += added;
      update(chunk);
    };
    try {
      await receiveChunks(stream, { timeoutMs: this.#limits.timeoutMs, take, onFailure: release });
      return read(body.bytes());
    } finally {
      release();
    }
  }

  #checkLength(bytes: number): void {
    if (bytes > this.#limits.bodyBytes) throw new AppError('payload_too_large', 'The body is too large.');
  }

  #hasRoom(sender: string, bytes: number): boolean {
    if (bytes === 0) return true;
    const ofSender = this.#bytesBySender.get(sender) ?? 0;
    return this.#bytes + bytes <= this.#limits.allBytes && ofSender + bytes <= this.#limits.senderBytes;
  }

  #add(sender: string, bytes: number): void {
    this.#bytes += bytes;
    const ofSender = (this.#bytesBySender.get(sender) ?? 0) + bytes;
    if (ofSender === 0) this.#bytesBySender.delete(sender);
    else this.#bytesBySender.set(sender, ofSender);
  }

  #overloaded(): AppError {
    const retryAt = new Date(this.#now().getTime() + retryAfterMs);
    return new AppError('overloaded', 'Too many deliveries are being received. Send this one again later.', {
      retryAt,
    });
  }
}

/**
 * Calls `take` with each chunk. After an error it reads no more, but leaves the connection open for the response.
 * @param options.onFailure called at once, before other chunks are received.
 */
function receiveChunks(
  stream: Readable,
  { timeoutMs, take, onFailure }: { timeoutMs: number; take: (chunk: Buffer) => void; onFailure: () => void },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (error: unknown): void => {
    stream.off('data', onData);
    stream.pause();
    onFailure();
    reject(error);
  };
  const onData = (chunk: Buffer): void => {
    try {
      take(chunk);
    } catch (error) {
      fail(error);
    }
  };
  const timer = setTimeout(
    () => fail(new AppError('too_slow', `The body was not received within ${timeoutMs / 1000} seconds.`)),
    timeoutMs,
  ).unref();
  stream.on('data', onData);
  stream.once('end', resolve);
  // A connection that breaks emits either or both.
  const onBroken = (): void => fail(new AppError('too_slow', 'The connection ended before the body did.'));
  stream.once('error', onBroken);
  stream.once('close', onBroken);
  return promise.finally(() => clearTimeout(timer));
}

interface DeliveryMetrics {
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
