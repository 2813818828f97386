import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import pg from 'pg';

/** A change of the database that is made before a request writes something. */
export interface Interruption {
  /** The transactions and single writes of the request that go before it. */
  after: number;
  make: () => Promise<void>;
  isMade: boolean;
}

/** Limits of attempts are counted before anything about an account is written. */
const writes = /^\s*(?:begin|start transaction|insert into (?!rate_limits)|update|delete)/i;
const beginsTransaction = /^\s*(?:begin|start transaction)/i;
const endsTransaction = /^\s*(?:commit|rollback(?! to))/i;

/**
 * Makes changes of the database between the authorization of the requests in this process and their writes. The
 * framework's diagnostics say which statements belong to the handler of a request.
 */
export function interruptWrites(): { next(interruption: Interruption): void } & Disposable {
  let next: Interruption | undefined;
  const ofRequest = new AsyncLocalStorage<Interruption | undefined>();
  const handlers = channel('tracing:fastify.request.handler:start');
  handlers.bindStore(ofRequest, () => next);
  const { prototype } = pg.Client;
  const original = Object.getOwnPropertyDescriptor(prototype, 'query') ?? {};
  const query = original.value as CallableFunction;
  const inTransaction = new WeakSet<object>();
  Object.defineProperty(prototype, 'query', {
    ...original,
    value: function interrupted(this: object, ...parameters: unknown[]): unknown {
      const send = (): unknown => Reflect.apply(query, this, parameters);
      const interruption = ofRequest.getStore();
      const [first] = parameters;
      const text = typeof first === 'string' ? first : String(Object(first).text ?? '');
      const isWithin = inTransaction.has(this);
      if (beginsTransaction.test(text)) inTransaction.add(this);
      if (endsTransaction.test(text)) inTransaction.delete(this);
      if (interruption === undefined || interruption.isMade || isWithin || !writes.test(text)) return send();
      if (interruption.after > 0) {
        interruption.after -= 1;
        return send();
      }
      interruption.isMade = true;
      return interruption.make().then(send);
    },
  });
  return {
    next: (interruption) => {
      next = interruption;
    },
    [Symbol.dispose]: () => {
      handlers.unbindStore(ofRequest);
      Object.defineProperty(prototype, 'query', original);
    },
  };
}
