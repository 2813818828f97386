import { type Simulator, startSimulator } from '../../simulators/github/simulator.ts';

/** A simulated GitHub with two repositories that can end a service in the middle of its work. */
export interface CountingSimulator extends AsyncDisposable {
  simulator: Simulator;
  /** Calls `act` once, with the n-th request from now on. */
  afterRequests(count: number, act: () => void): void;
  /** Prevents a call that has not happened. */
  stop(): void;
}

export async function startCountingSimulator(): Promise<CountingSimulator> {
  let left = 0;
  let whenCounted: (() => void) | undefined;
  const simulator = await startSimulator({
    repositories: 2,
    onRequest: () => {
      left -= 1;
      if (left === 0) whenCounted?.();
    },
  });
  return {
    simulator,
    afterRequests: (count, act) => {
      left = count;
      whenCounted = act;
    },
    stop: () => {
      left = 0;
    },
    [Symbol.asyncDispose]: () => simulator[Symbol.asyncDispose](),
  };
}
