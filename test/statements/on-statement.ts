import pg from 'pg';

/** Calls a function with the text of each statement that this process sends from now on, before it is sent. */
export function onStatement(see: (text: string) => void): void {
  const { prototype } = pg.Client;
  const original = Object.getOwnPropertyDescriptor(prototype, 'query')?.value as CallableFunction;
  Object.defineProperty(prototype, 'query', {
    configurable: true,
    writable: true,
    value: function query(this: unknown, ...parameters: unknown[]): unknown {
      const [first] = parameters;
      see(typeof first === 'string' ? first : String(Object(first).text ?? ''));
      return Reflect.apply(original, this, parameters);
    },
  });
}
