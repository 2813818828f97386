import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type SlotLimits, Slots } from '../../../src/database/reads/slots.ts';
import type { StatementScope } from '../../../src/database/reads/statement-scope.ts';
import { AppError } from '../../../src/model/errors.ts';

const never = 3_600_000;
const limits: SlotLimits = { slots: 4, maxWaiting: { ordinary: 2, expensive: 1 }, maxWaitMs: never };
const expensive = (signal = new AbortController().signal): StatementScope => ({ signal, isExpensive: true });
const code = (error: unknown): unknown => error instanceof AppError && error.code;

describe('slots for connections', () => {
  it('leave half of the slots to work that is not expensive', async () => {
    const slots = new Slots(limits);
    const free = [await slots.acquire(expensive()), await slots.acquire(expensive())];
    const third = slots.acquire(expensive());
    await slots.acquire(undefined);
    free[0]?.();
    await third;
    await slots.acquire(undefined);
  });

  it('refuse work beyond the queue, which each kind of work has for itself', async () => {
    const slots = new Slots({ ...limits, slots: 2 });
    await slots.acquire(expensive());
    const waiting = slots.acquire(expensive());
    await assert.rejects(slots.acquire(expensive()), (error) => code(error) === 'overloaded');
    const free = await slots.acquire(undefined);
    const ordinary = [slots.acquire(undefined), slots.acquire(undefined)];
    await assert.rejects(slots.acquire(undefined), (error) => code(error) === 'overloaded');
    free();
    (await ordinary[0])?.();
    await ordinary[1];
    assert.equal(await Promise.race([waiting, Promise.resolve('waiting')]), 'waiting');
  });

  it('refuse work that waited too long', async () => {
    const slots = new Slots({ ...limits, slots: 1, maxWaitMs: 1 });
    const free = await slots.acquire(undefined);
    await assert.rejects(slots.acquire(undefined), (error) => code(error) === 'overloaded');
    free();
    await slots.acquire(undefined);
  });

  it('go to the next in the queue when the scope of work that waits ends', async () => {
    const slots = new Slots({ ...limits, slots: 1 });
    const free = await slots.acquire(undefined);
    const ending = new AbortController();
    const ended = slots.acquire({ signal: ending.signal, isExpensive: false });
    const next = slots.acquire(undefined);
    ending.abort();
    await assert.rejects(ended, (error) => code(error) === 'too_slow');
    await assert.rejects(slots.acquire({ signal: ending.signal, isExpensive: false }));
    free();
    await next;
  });

  it('are given back once, however often that is requested', async () => {
    const slots = new Slots({ ...limits, slots: 1 });
    const free = await slots.acquire(undefined);
    free();
    free();
    await slots.acquire(undefined);
    assert.equal(await Promise.race([slots.acquire(undefined), Promise.resolve('waiting')]), 'waiting');
  });
});
