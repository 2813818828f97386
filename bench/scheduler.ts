import { setTimeout as wait } from 'node:timers/promises';
import type { Call } from '../src/hosts/interface/call.ts';
import { Credential, Slots } from '../src/hosts/transport/credential.ts';
import { RequestScheduler } from '../src/hosts/transport/request-scheduler.ts';
import { AppError } from '../src/model/errors.ts';
import type { BenchResult } from './bench-result.ts';
import { median } from './load.ts';
import { sized } from './size.ts';

/** The slots of a Gitea or GitLab host. */
const slots = { all: 6, background: 3 };
const count = sized(120, 24);
const interactiveShare = 1 / 3;
/** The interval in which the scheduler that was replaced looked for a free slot. */
const pollMs = 20;
const rounds = sized(7, 1);

interface Request {
  urgency: Call['urgency'];
  durationMs: number;
}

/** The result of one load: its time, and the numbers of the requests in the order in which they were sent. */
interface Run {
  ms: number;
  sent: number[];
  /** The longest wait of an interactive request. */
  interactiveMs: number;
}

/** Receives a request, and sends it when it has a slot. */
type Scheduler = (request: Request, send: () => Promise<void>) => Promise<void>;

/** Measures the time for a mixed load of requests, and their order, against workers that know all of them in advance. */
export async function run(): Promise<BenchResult[]> {
  const requests = makeLoad();
  const against: Record<'ideal' | 'polling', number[]> = { ideal: [], polling: [] };
  const waits: Record<'ours' | 'polling', number[]> = { ours: [], polling: [] };
  const inversions = { ours: 0, polling: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const ideal = await measureIdeal(requests);
    const ours = await measure(requests, eventDriven());
    const polling = await measure(requests, polled());
    against.ideal.push(ideal / ours.ms);
    against.polling.push(polling.ms / ours.ms);
    waits.ours.push(ours.interactiveMs);
    waits.polling.push(polling.interactiveMs);
    inversions.ours += countInversions(requests, ours.sent);
    inversions.polling += countInversions(requests, polling.sent);
  }
  return [
    {
      name: 'scheduler',
      ratio: median(against.ideal),
      goal: '>=0.95',
      baseline: 'the same load on as many workers without a scheduler, which take the next request from a sorted list',
      detail: `${count} requests, a third of them interactive`,
    },
    {
      name: 'scheduler-polling',
      ratio: median(against.polling),
      goal: '>=1',
      baseline: 'the same load, polling for a free slot every 20 ms',
      detail: `interactive requests waited ${toText(waits.ours)} at most, ${toText(waits.polling)} with polling`,
    },
    {
      name: 'scheduler-inversions',
      ratio: inversions.ours / Math.max(1, inversions.polling),
      goal: '<=0',
      baseline: 'pairs of the same urgency that polling sends in another order than they came',
      detail: `${inversions.ours} pairs, ${inversions.polling} with polling`,
    },
  ];
}

/** Returns requests of 5 to 34 ms in a fixed order that looks random. The first ones are interactive. */
function makeLoad(): Request[] {
  return Array.from({ length: count }, (_, index) => {
    const isInteractive = index < slots.all || (index * 37) % 100 < interactiveShare * 100;
    return { urgency: isInteractive ? 'interactive' : 'background', durationMs: 5 + ((index * 17) % 30) };
  });
}

async function measure(requests: readonly Request[], schedule: Scheduler): Promise<Run> {
  const sent: number[] = [];
  let interactiveMs = 0;
  const begun = performance.now();
  await Promise.all(
    requests.map((request, index) =>
      schedule(request, async () => {
        sent.push(index);
        if (request.urgency === 'interactive') interactiveMs = Math.max(interactiveMs, performance.now() - begun);
        await wait(request.durationMs);
      }),
    ),
  );
  return { ms: performance.now() - begun, sent, interactiveMs };
}

/** Returns the time of workers that never look for work: some take interactive requests only, the others all. */
async function measureIdeal(requests: readonly Request[]): Promise<number> {
  const left = {
    interactive: requests.filter(({ urgency }) => urgency === 'interactive'),
    background: requests.filter(({ urgency }) => urgency === 'background'),
  };
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: slots.all }, async (_, worker) => {
      const takesAll = worker < slots.background;
      for (;;) {
        const next = left.interactive.shift() ?? (takesAll ? left.background.shift() : undefined);
        if (next === undefined) return;
        await wait(next.durationMs);
      }
    }),
  );
  return performance.now() - begun;
}

function eventDriven(): Scheduler {
  const fail = (): AppError => new AppError('provider_rate_limited', 'limited');
  const scheduler = new RequestScheduler({ now: () => new Date(), limited: fail, denied: fail });
  const credential = new Credential({ secret: undefined, name: '', slots: new Slots({ ...slots, waiting: count }) });
  const { signal } = new AbortController();
  return async ({ urgency }, send) => {
    const lease = await scheduler.acquire({
      resource: 'api',
      call: { urgency, signal },
      candidates: () => [credential],
    });
    await send();
    lease[Symbol.dispose]();
  };
}

function polled(): Scheduler {
  let inFlight = 0;
  return async ({ urgency }, send) => {
    while (inFlight >= (urgency === 'background' ? slots.background : slots.all)) await wait(pollMs);
    inFlight += 1;
    await send();
    inFlight -= 1;
  };
}

/** Counts the pairs of neighbours of the same urgency that were sent in another order than they came. */
function countInversions(requests: readonly Request[], sent: readonly number[]): number {
  return (['interactive', 'background'] as const)
    .map((urgency) => sent.filter((index) => requests[index]?.urgency === urgency))
    .map((order) => order.filter((index, at) => at > 0 && index < (order[at - 1] ?? 0)).length)
    .reduce((sum, inversions) => sum + inversions, 0);
}

function toText(waitsMs: readonly number[]): string {
  return `${Math.round(median(waitsMs))} ms`;
}
