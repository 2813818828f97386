import { setTimeout as wait } from 'node:timers/promises';
import { environmentHosts, toVariable } from '../../hosts/config/host-settings.ts';
import type { ProviderConfig } from '../../hosts/config/hosts.ts';
import { AppError } from '../../model/errors.ts';
import { createLog, linesForPeople } from '../../model/log.ts';
import type { Config as AchievementsFile } from '../../recognition/rules/config.ts';
import { findPreviewed, findReadable, requiredBy } from '../../recognition/rules/evaluation/preview-store.ts';
import type { RequiredData } from '../../recognition/rules/file/required-data.ts';
import { type Extent, newCost } from '../../sync/context.ts';
import { lookUp } from '../../sync/lookups/look-up.ts';
import { busyDelayMs, collectNamedRepository } from '../../sync/streams/collect.ts';
import type { Config } from '../config/config.ts';
import { type Core, openCore } from '../core.ts';
import { type Io, waitForQuota } from './io.ts';
import type { NamedTarget } from './target.ts';

type Target = NamedTarget & { repository: string };

/** The most waits, 5 s each, for another process that reads the same repository: ten minutes in all. */
const maxBusyPolls = 120;
/** The number of items between two lines of progress. */
const lineEvery = 1000;

/**
 * Fetches the data that the achievements of a file need and that is not stored, in the same way and within the
 * same limits as the service. The next run, or the service, continues an interrupted one.
 * @throws AppError `invalid_input` that names the missing setting when the host is not configured.
 */
export async function readForPreview(
  io: Io,
  { settings, file, target }: { settings: Config; file: AchievementsFile; target: Target },
): Promise<void> {
  const host = findHost(settings, target.provider);
  const core = await openCore(settings, { log: createLog('warn', linesForPeople(io.warn)) });
  try {
    const required = await findMissing(core, file, target);
    if (required.length === 0) return;
    await fetchMissing(io, core, target, toExtent(io, required));
  } finally {
    await core.close();
  }
  if (host.tokens.length === 0 && host.app === undefined)
    io.warn(`${tokenSetting(host)} is not set, so only data that ${host.name} shows without a token was read`);
}

/** @throws AppError `invalid_input` that names the missing setting. */
function findHost({ providers }: Config, name: string): ProviderConfig {
  const host = providers.find((configured) => configured.name === name);
  if (host !== undefined) return host;
  const setting = environmentHosts.some(({ kind }) => kind === name)
    ? `${toVariable(name, 'url')} is not set`
    : `PROVIDERS_FILE has no entry ${name}`;
  throw new AppError('invalid_input', `${setting}; --read needs the address of the host`);
}

function tokenSetting({ name, kind, source }: ProviderConfig): string {
  return source === 'file' ? `The token of ${name} in PROVIDERS_FILE` : toVariable(kind, 'token');
}

async function findMissing(
  { sync, providers }: Core,
  file: AchievementsFile,
  { provider, name: owner, repository: name }: Target,
): Promise<RequiredData[]> {
  const repository = await findPreviewed(sync.connection, { provider, owner, name });
  const unreported = providers.get(provider)?.unreported ?? [];
  return repository === undefined
    ? requiredBy(file)
    : findReadable(sync.connection, repository.id, file, { unreported, wasRead: false });
}

function toExtent(io: Io, required: readonly RequiredData[]): Extent {
  const details = required.flatMap(({ onDemand }) => onDemand ?? []);
  let last = { part: '', steps: 0 };
  return {
    kinds: new Set(required.map(({ kind }) => kind)),
    detailedKinds: new Set(required.flatMap(({ kind, detail }) => (detail === undefined ? [] : [kind]))),
    details: [...new Set(details)],
    onPart: (part, read) => {
      const steps = Math.floor(read / lineEvery);
      if (part !== last.part || steps > last.steps) io.warn(`reading ${part.replaceAll('_', ' ')}: ${read}`);
      last = { part, steps };
    },
  };
}

async function fetchMissing(io: Io, core: Core, { provider, name, repository }: Target, extent: Extent): Promise<void> {
  const call = { urgency: 'background', signal: io.signal, cost: newCost() } as const;
  const accountId = await waitForQuota(io, () => lookUp(core.sync, { provider, name }, call));
  if (accountId === undefined) throw new AppError('not_found', `${provider} knows no account called ${name}`);
  const work = { call, onProgress: () => {}, extent };
  for (let polls = 0; polls < maxBusyPolls; polls += 1) {
    const requested = { accountId, repository, withPrivate: true };
    const outcome = await waitForQuota(io, () => collectNamedRepository(core.sync, requested, work));
    if (outcome === 'complete') return;
    if (polls === 0) io.warn('another process is reading the repository; waiting for it');
    await wait(busyDelayMs, undefined, { signal: io.signal });
  }
  throw new AppError('conflict', `another process is still reading ${name}/${repository}; try again later`);
}
