import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';

/** Tests with errors that no code catches, for the tests of the runner; they run by no other command. */

describe('errors that no code catches', () => {
  it('passes', async () => {
    await wait(1);
  });

  it('throws in a timer', async () => {
    await wait(1);
    setTimeout(() => {
      throw new Error('thrown in a timer');
    }, 1);
    await wait(20);
  });

  it('rejects a promise', async () => {
    await wait(1);
    void Promise.reject(new Error('rejected without a handler'));
    await wait(20);
  });

  it('passes afterwards', async () => {
    await wait(1);
  });
});
