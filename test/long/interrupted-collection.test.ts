import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { type Simulator, startSimulator } from '../../simulators/github/simulator.ts';
import { createTestDatabase } from '../database.ts';
import { isThorough, sampled } from '../depth.ts';
import { snapshot } from '../integration/sync/snapshot.ts';
import { runSync, type SyncOptions, startSync } from '../service/sync/syncing.ts';

const now = (): Date => new Date('2026-11-21T12:00:00Z');

/** Interrupts a process that collects before it is done. */
type Interruption = (options: SyncOptions, controller: AbortController) => void;

const ignore = (): void => {};

describe('interrupted collection', () => {
  const stack = new AsyncDisposableStack();
  let onRequest = ignore;
  let simulator: Simulator;
  /** The data that is stored, and the number of requests, without any interruption. */
  let expected: Record<string, string[]>;
  let requests = 0;
  before(async () => {
    simulator = stack.use(await startSimulator({ now, repositories: 2, onRequest: () => onRequest() }));
    expected = await collect(async () => {});
    requests = simulator.requests.length;
    assert.ok((expected['contributors']?.length ?? 0) > 20);
  });
  after(() => stack.disposeAsync());

  /** Calls a function with a new database, collects to the end, and returns the stored data. */
  async function collect(work: (options: SyncOptions) => Promise<void>): Promise<Record<string, string[]>> {
    await using database = await createTestDatabase();
    await using directory = await makeTemporaryDirectory();
    const target = `github/${simulator.accounts.organization}`;
    const options = { simulator, target, databaseUrl: database.url, dataDir: directory.path };
    await work(options);
    onRequest = ignore;
    await runSync(options);
    return await snapshot(database.url);
  }

  /**
   * Collects again and again on new databases, each time interrupted at another request and run to its end; the stored
   * data must be the same.
   * @param every the distance between the requests at which it interrupts.
   */
  async function compareInterrupted(every: number, offset: number, interrupt: Interruption | 'kill'): Promise<void> {
    for (let at = 1 + offset; at <= requests; at += every) {
      const actual = await collect(async (options) => {
        let seen = 0;
        const controller = new AbortController();
        const process = interrupt === 'kill' ? startSync(options) : undefined;
        onRequest = () => {
          seen += 1;
          if (seen !== at) return;
          if (interrupt === 'kill') process?.kill();
          else interrupt(options, controller);
        };
        if (process !== undefined) await process.ended;
        else await runSync(options, controller.signal).catch(() => {});
      });
      assert.deepEqual(actual, expected, `interrupted at request ${at} of ${requests}`);
    }
  }

  it('collects the same data after a stop at any request as without a stop', () =>
    compareInterrupted(isThorough ? 1 : 24, 0, (_options, controller) => controller.abort()));

  it('collects the same data when the database drops every connection', () =>
    compareInterrupted(isThorough ? 2 : 31, 1, ({ databaseUrl }) => {
      const drop = async (): Promise<void> => {
        const client = new Client({ connectionString: databaseUrl });
        await client.connect();
        await client.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
        );
        await client.end();
      };
      void drop();
    }));

  it('collects the same data when the process is killed', () => compareInterrupted(isThorough ? 3 : 36, 2, 'kill'));

  it('notices a page that is lost after an interruption, even the first one after it', async () => {
    for (const on of sampled(['OwnedRepositories', 'PullRequests', 'Issues', 'Discussions'], 2)) {
      const actual = await collect(async (options) => {
        simulator.faults.add({ kind: 'unavailable', on, times: 8 });
        await runSync(options).catch(() => {});
        simulator.faults.clear();
        simulator.faults.add({ kind: 'lost_page', on, times: 2 });
      });
      assert.equal(simulator.faults.pending, 0);
      assert.deepEqual(actual, expected, on);
    }
  });

  it('collects the same data with faults as without them', async () => {
    const collectDespiteFaults = async (options: SyncOptions): Promise<void> => {
      for (let tries = 0; tries < 20; tries += 1) {
        try {
          await runSync(options);
          if (simulator.faults.pending === 0) break;
        } catch {
          // The next run continues with the stored data.
        }
      }
      assert.equal(simulator.faults.pending, 0);
    };
    const kinds = [
      'bad_gateway',
      'drop_midway',
      'drop_after',
      'malformed',
      'truncated',
      'resource_limits',
      'unavailable',
      'repeated',
      'reordered',
      'lost_page',
      'surprise',
    ] as const;
    const isOfPages = (kind: string): boolean => ['lost_page', 'reordered', 'repeated'].includes(kind);
    const cases = kinds.flatMap((kind) =>
      ['OwnedRepositories', 'PullRequests', 'Issues', 'CommitAuthors']
        .filter((on) => on !== 'CommitAuthors' || !isOfPages(kind))
        .map((on) => ({ kind, on })),
    );
    for (const { kind, on } of sampled(cases, 15)) {
      simulator.faults.add({ kind, on, after: 1, path: ['data'], value: { invalid: true } });
      simulator.faults.add({ kind, on, after: 1, path: ['data'], value: { invalid: true } });
      if (on === 'OwnedRepositories') simulator.faults.clear();
      if (on === 'OwnedRepositories') simulator.faults.add({ kind, on, path: ['data'], value: { invalid: true } });
      assert.deepEqual(await collect(collectDespiteFaults), expected, `${kind} on ${on}`);
    }
  });
});
