import { after, before } from 'node:test';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../simulators/github/simulator.ts';
import { startTestService, type TestService, type TestServiceOptions } from './service.ts';

/** A simulated GitHub and a service on it, which all tests of a suite use. They exist while the tests run. */
export interface SharedService {
  readonly simulator: Simulator;
  readonly service: TestService;
}

/**
 * Starts a simulator and a service before the first test of the surrounding suite, and ends them after the last one.
 * @param options.start starts the service; default: with `options.service`.
 */
export function shareService(
  options: {
    simulator?: Partial<SimulatorOptions>;
    service?: Omit<TestServiceOptions, 'simulator'>;
    start?: (simulator: Simulator) => Promise<TestService>;
  } = {},
): SharedService {
  const { start = (simulator) => startTestService({ ...options.service, simulator }) } = options;
  const ending = new AsyncDisposableStack();
  let started: SharedService | undefined;
  before(async () => {
    const simulator = ending.use(await startSimulator(options.simulator));
    started = { simulator, service: ending.use(await start(simulator)) };
  });
  after(() => ending.disposeAsync());
  const running = (): SharedService => {
    if (started === undefined) throw new Error('the shared service exists only while tests run');
    return started;
  };
  return {
    get simulator() {
      return running().simulator;
    },
    get service() {
      return running().service;
    },
  };
}
