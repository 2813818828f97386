import { setTimeout as wait } from 'node:timers/promises';
import { Presets, SingleBar } from 'cli-progress';
import { AppError } from '../../model/errors.ts';
import { createLog, linesForPeople } from '../../model/log.ts';
import { counted } from '../../model/text.ts';
import { newCost, type Progress, type SyncContext, type Work } from '../../sync/context.ts';
import { lookUp } from '../../sync/lookups/look-up.ts';
import { collectAccount, collectNamedRepository } from '../../sync/streams/collect.ts';
import { readConfig } from '../config/config.ts';
import { openCore } from '../core.ts';
import { type Io, UsageError, waitForQuota } from './io.ts';
import { readTarget } from './target.ts';

const busyPollMs = 1000;
/** The number of repositories between two lines of progress, where no bar is drawn. */
const lineEvery = 10;

/** `plaudit sync PROVIDER/NAME[/REPOSITORY]`: updates the stored data from the provider, and prints the cost. */
export async function sync(io: Io, target: string | undefined): Promise<void> {
  const named = readTarget(target);
  if (named === undefined) {
    throw new UsageError('sync needs PROVIDER/NAME or PROVIDER/NAME/REPOSITORY, like github/torvalds');
  }
  const { provider, name, repository } = named;
  const config = readConfig(io.environment);
  const core = await openCore(config, {
    log: createLog(config.logLevel === 'info' ? 'warn' : config.logLevel, linesForPeople(io.warn)),
  });
  const call = { urgency: 'background', signal: io.signal, cost: newCost() } as const;
  const reporter = createReporter(io, target ?? '');
  try {
    if (!core.providers.has(provider)) {
      throw new AppError(
        'invalid_input',
        `${provider} is not a provider here; those that are: ${[...core.providers.keys()].join(', ')}`,
      );
    }
    // A user who runs the command wants the present data, so nothing stored counts as fresh.
    const context: SyncContext = { ...core.sync, freshForMs: 0 };
    const accountId = await waitForQuota(io, () => lookUp(context, { provider, name }, call));
    if (accountId === undefined) throw new AppError('not_found', `${provider} knows no account called ${name}`);
    const work: Work = { call, onProgress: reporter.show };
    await waitForQuota(io, async () => {
      if (repository !== undefined) {
        await collectNamedRepository(context, { accountId, repository, withPrivate: true }, work);
        return;
      }
      while ((await collectAccount(context, accountId, work, undefined)) === 'paused') {
        await wait(busyPollMs, undefined, { signal: io.signal });
      }
    });
  } finally {
    reporter.stop();
    await core.close();
  }
  io.print(
    `${target} is up to date; it cost ${counted(call.cost.requests, 'request')} and ${counted(call.cost.points, 'point')}`,
  );
}

interface Reporter {
  show: (progress: Progress) => void;
  stop: () => void;
}

/**
 * Creates a reporter that draws a bar on a terminal, and elsewhere prints a line after every `lineEvery` repositories.
 */
function createReporter(io: Io, target: string): Reporter {
  if (!io.isTerminal) {
    return {
      show: ({ done, total, repository }) => {
        if (done % lineEvery === 0 || done === total) {
          io.print(`${target}: ${done} of ${total} repositories, last ${repository}`);
        }
      },
      stop: () => {},
    };
  }
  const bar = new SingleBar(
    {
      format: `${target} {bar} {value} of {total} repositories {repository}`,
      hideCursor: true,
      clearOnComplete: false,
    },
    Presets.shades_grey,
  );
  let isStarted = false;
  return {
    show: ({ done, total, repository }) => {
      if (!isStarted) bar.start(total, done, { repository });
      isStarted = true;
      bar.update(done, { repository });
    },
    stop: () => {
      if (isStarted) bar.stop();
    },
  };
}
