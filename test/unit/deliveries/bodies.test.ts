import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { Bodies, type BodyLimits, GrowingBuffer, type IncomingBody } from '../../../src/sync/deliveries/bodies.ts';
import { clock } from '../../time.ts';

const kibibyte = 1024;
const limits: BodyLimits = {
  allBytes: 1024 * kibibyte,
  senderBytes: 512 * kibibyte,
  bodyBytes: 400 * kibibyte,
  timeoutMs: 60_000,
};

const createBodies = (): Bodies => new Bodies(limits, clock().now);

interface Sender {
  stream: PassThrough;
  /** The length of the body, or the code of the error. */
  outcome: Promise<number | string>;
}

function send(
  bodies: Bodies,
  incoming: Partial<IncomingBody> = {},
  update: (bytes: Buffer) => void = () => {},
): Sender {
  const stream = new PassThrough();
  const outcome = bodies
    .receive({ stream, sender: '192.0.2.1', declaredBytes: undefined, ...incoming }, update, ({ length }) => length)
    .catch((error: { code: string }) => error.code);
  return { stream, outcome };
}

/** Lets every chunk that was written be received. */
const received = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('reception of the bodies of deliveries', () => {
  it('occupies no more than the budget, however many are sent at once', async () => {
    const bodies = createBodies();
    const senders = Array.from({ length: 60 }, (_, index) =>
      send(bodies, { sender: `192.0.2.${index}`, declaredBytes: index % 2 === 0 ? 300 * kibibyte : undefined }, () =>
        assert.ok(bodies.bytes <= limits.allBytes, String(bodies.bytes)),
      ),
    );
    for (let round = 0; round < 30; round += 1) {
      for (const { stream } of senders) stream.write(Buffer.alloc(10 * kibibyte));
      await received();
      assert.ok(bodies.bytes <= limits.allBytes, String(bodies.bytes));
    }
    for (const { stream } of senders) stream.end();
    const outcomes = await Promise.all(senders.map(({ outcome }) => outcome));
    assert.deepEqual(new Set(outcomes), new Set([300 * kibibyte, 'overloaded']));
    assert.equal(bodies.bytes, 0);
  });

  it('leaves room for other addresses when one address sends many', async () => {
    const bodies = createBodies();
    const flood = Array.from({ length: 20 }, () => send(bodies));
    for (const { stream } of flood) stream.write(Buffer.alloc(100 * kibibyte));
    await received();
    assert.ok(bodies.bytes <= limits.senderBytes);
    const fromOtherAddress = send(bodies, { sender: '198.51.100.7' });
    fromOtherAddress.stream.end(Buffer.alloc(300 * kibibyte));
    assert.equal(await fromOtherAddress.outcome, 300 * kibibyte);
  });

  it('refuses a body that is too large or has no room before its first byte is received', async () => {
    const bodies = createBodies();
    assert.equal(await send(bodies, { declaredBytes: limits.bodyBytes + 1 }).outcome, 'payload_too_large');
    send(bodies).stream.write(Buffer.alloc(300 * kibibyte));
    await received();
    const { stream, outcome } = send(bodies, { declaredBytes: 300 * kibibyte });
    assert.equal(await outcome, 'overloaded');
    assert.equal(stream.listenerCount('data'), 0);
  });

  it('receives nothing after a refusal', async () => {
    const bodies = createBodies();
    let bytes = 0;
    const { stream, outcome } = send(bodies, {}, (chunk) => {
      bytes += chunk.length;
    });
    for (let count = 0; count < 50; count += 1) stream.write(Buffer.alloc(100 * kibibyte));
    assert.equal(await outcome, 'payload_too_large');
    await received();
    assert.equal(bytes, limits.bodyBytes);
    assert.equal(bodies.bytes, 0);
  });

  it('releases the memory of a sender that is too slow, fails or ends early', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const bodies = createBodies();
    const slow = send(bodies);
    slow.stream.write(Buffer.alloc(100 * kibibyte));
    const broken = send(bodies);
    broken.stream.write(Buffer.alloc(100 * kibibyte));
    const wrong = send(bodies, {}, () => {
      throw Object.assign(new Error(), { code: 'wrong' });
    });
    wrong.stream.write('x');
    await received();
    assert.ok(bodies.bytes >= 200 * kibibyte);
    broken.stream.destroy();
    t.mock.timers.tick(limits.timeoutMs);
    assert.deepEqual(await Promise.all([slow.outcome, broken.outcome, wrong.outcome]), [
      'too_slow',
      'too_slow',
      'wrong',
    ]);
    assert.equal(bodies.bytes, 0);
  });

  it('occupies at most twice their length, also in chunks of one byte', () => {
    const body = new GrowingBuffer(limits.bodyBytes);
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251));
    for (const byte of bytes) {
      const capacity = body.capacityWith(1);
      body.append(Buffer.of(byte));
      assert.equal(body.capacity, capacity);
    }
    assert.ok(body.bytes().equals(bytes));
    assert.ok(body.capacity <= 2 * bytes.length);
    const declared = new GrowingBuffer(20_000);
    for (let count = 0; count < 20; count += 1) declared.append(Buffer.alloc(1000));
    assert.equal(declared.capacity, 20_000);
  });
});
