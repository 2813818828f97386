import { listInstallations } from '../../accounts/installations/store.ts';
import { findById, findByName } from '../../accounts/store.ts';
import type { Provider } from '../../hosts/interface/provider.ts';
import { AppError } from '../../model/errors.ts';
import { createLog } from '../../model/log.ts';
import { newCost } from '../../sync/context.ts';
import { install, uninstall } from '../../sync/installations/operator.ts';
import { lookUp } from '../../sync/lookups/look-up.ts';
import { readConfig } from '../config/config.ts';
import { type Core, openCore } from '../core.ts';
import { type Io, UsageError } from './io.ts';
import { type NamedTarget, readTarget } from './target.ts';

/**
 * `plaudit install PROVIDER/OWNER[/REPOSITORY]`: keeps all data of an account or repository current that the configured
 * credentials can read.
 */
export async function installByName(io: Io, target: string | undefined): Promise<void> {
  await withTarget(io, 'install', target, async (core, { provider, name, repository }) => {
    const call = { urgency: 'interactive', signal: io.signal, cost: newCost() } as const;
    const id = await lookUp(core.sync, { provider: provider.name, name }, call);
    const account = id === undefined ? undefined : await findById(core.sync.connection, id);
    if (account === undefined) throw new AppError('not_found', `${provider.name} knows no account called ${name}`);
    const installed = await install(core.sync, { account, provider, repository }, call);
    io.print(`${target} is installed; the running service collects its data`);
    if (!installed.showsPrivate) {
      io.warn(`plaudit: private data of ${account.name} cannot be read, because no configured credential shows it`);
    }
  });
}

/** `plaudit uninstall PROVIDER/OWNER[/REPOSITORY]`: undoes `plaudit install`. */
export async function uninstallByName(io: Io, target: string | undefined): Promise<void> {
  await withTarget(io, 'uninstall', target, async (core, { provider, name, repository }) => {
    const holder = await findByName(core.sync.connection, provider.name, name);
    if (holder === undefined) throw new AppError('not_found', `nothing is stored of ${provider.name}/${name}`);
    await uninstall(core.sync, { account: holder.account, repository });
    io.print(`${target} is not installed any more; its stored data stays and is refreshed on request`);
  });
}

/** `plaudit installations`: prints a line for each installation. */
export async function listInstalled(io: Io): Promise<void> {
  await withCore(io, async ({ database }) => {
    const installations = await listInstallations(database.connection);
    for (const installation of installations) {
      const extent = installation.covers === 'all' ? 'everything' : `${installation.selected} selected`;
      const by = installation.source === 'operator' ? 'by the operator' : `App installation ${installation.id}`;
      const faults = [
        ...(installation.suspendedAt === null ? [] : ['suspended']),
        ...(installation.missingPermissions.length === 0
          ? []
          : [`without ${installation.missingPermissions.join(', ')}`]),
      ];
      io.print([`${installation.provider}/${installation.account.name}: ${extent}`, by, ...faults].join('; '));
    }
    if (installations.length === 0) io.print('nothing is installed');
  });
}

type Target = Omit<NamedTarget, 'provider'> & { provider: Provider };

/** @throws AppError `invalid_input` when the target is not well-formed or its provider is not configured. */
async function withTarget(
  io: Io,
  command: string,
  target: string | undefined,
  work: (core: Core, target: Target) => Promise<void>,
): Promise<void> {
  const named = readTarget(target);
  if (named === undefined) {
    const examples = 'like github/torvalds or github/torvalds/linux';
    throw new UsageError(`${command} needs PROVIDER/OWNER or PROVIDER/OWNER/REPOSITORY, ${examples}`);
  }
  const { provider: providerName, name, repository } = named;
  await withCore(io, async (core) => {
    const provider = core.providers.get(providerName);
    if (provider === undefined) {
      const known = [...core.providers.keys()].join(', ');
      throw new AppError('invalid_input', `${providerName} is not a provider here; those that are: ${known}`);
    }
    if (!provider.accounts.isPossibleName(name) || (repository && !provider.repositories.isPossibleName(repository))) {
      throw new AppError('invalid_input', `${target} cannot be a name at ${providerName}`);
    }
    await work(core, { provider, name, repository });
  });
}

async function withCore(io: Io, work: (core: Core) => Promise<void>): Promise<void> {
  const config = readConfig(io.environment);
  const core = await openCore(config, { log: createLog(config.logLevel === 'info' ? 'warn' : config.logLevel) });
  try {
    await work(core);
  } finally {
    await core.close();
  }
}
