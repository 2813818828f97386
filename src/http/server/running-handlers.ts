import { setTimeout as wait } from 'node:timers/promises';
import type { App } from './app.ts';

/** The longest time, in ms, that a closing server waits for handlers once all connections have ended. */
const handlersEndWithinMs = 1500;

/**
 * Lets a closing server wait for the handlers that run on when all connections have ended. A handler does not end when
 * its client disconnects, and would find the connections to the database closed.
 */
export function awaitHandlers(app: App): void {
  const running = new Set<Promise<unknown>>();
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = function (request, reply) {
      const result: unknown = handler.call(this, request, reply);
      if (result instanceof Promise) {
        const ended: Promise<unknown> = result.catch(() => {}).finally(() => running.delete(ended));
        running.add(ended);
      }
      return result;
    };
  });
  app.addHook('onClose', async () => {
    const ending = new AbortController();
    const patience = wait(handlersEndWithinMs, undefined, { signal: ending.signal }).catch(() => {});
    await Promise.race([Promise.all(running), patience]);
    ending.abort();
  });
}
