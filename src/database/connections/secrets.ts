import type { Connection } from './connection.ts';

/** Returns a key that all nodes share; the first caller creates it. */
export async function sharedSecret(
  connection: Connection,
  name: string,
  randomBytes: (size: number) => Buffer,
): Promise<Buffer> {
  await connection
    .insertInto('secrets')
    .values({ name, value: randomBytes(32) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const { value } = await connection
    .selectFrom('secrets')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return value;
}
