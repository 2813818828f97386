import { setTimeout as wait } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { Value } from 'typebox/value';
import type { HandedOver } from '../../http/server/handed-over.ts';
import { exitAtOnce } from '../../model/exit.ts';
import { type FromWorker, ToWorker } from './messages.ts';

/** The longest wait, in ms, for the confirmation that no connection follows. */
const retiredWithinMs = 500;

/** The connection of a process of a node with the one that started it. */
export interface Channel {
  send(message: FromWorker): void;
  /** Takes connections over from now on. */
  takeOver(connections: HandedOver): void;
  /** Waits until no connection follows. */
  retire(): Promise<void>;
}

/** Opens the channel of this process, which ends at once when the one that started it has ended. */
export function openChannel(registry: Registry): Channel {
  let connections: HandedOver | undefined;
  const retired = Promise.withResolvers<void>();
  const receive = (message: ToWorker, socket: unknown): void => {
    switch (message.kind) {
      case 'connection':
        connections?.add(socket);
        return send({ kind: 'confirmed', id: message.id, open: connections?.open ?? 0 });
      case 'metrics':
        return void registry
          .getMetricsAsJSON()
          .then((metrics) => send({ kind: 'metrics', id: message.id, metrics }))
          .catch(() => {});
      case 'retired':
        return retired.resolve();
    }
  };
  process.on('message', (message, socket) => receive(Value.Parse(ToWorker, message), socket));
  process.once('disconnect', () => exitAtOnce(0));
  return {
    send,
    takeOver: (taken) => {
      connections = taken;
    },
    retire: async () => {
      send({ kind: 'stopping' });
      await Promise.race([retired.promise, wait(retiredWithinMs, undefined, { ref: false })]);
    },
  };
}

function send(message: FromWorker): void {
  // A failure shows that the other process has ended.
  process.send?.(message, undefined, undefined, () => {});
}
