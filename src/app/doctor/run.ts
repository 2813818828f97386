import { findUsable } from '../../accounts/installations/store.ts';
import type { Database } from '../../database/connections/connection.ts';
import type { Provider } from '../../hosts/interface/provider.ts';
import { AppError } from '../../model/errors.ts';
import type { Config } from '../config/config.ts';
import {
  checkCounts,
  checkDrift,
  checkInstallations,
  checkJobs,
  checkLookups,
  checkPolls,
  checkSkipped,
  checkStreams,
  checkWaiting,
} from './checks/collecting.ts';
import { checkLocks, checkReplica, checkServer, checkSpace, type Opened, openForDoctor } from './checks/database.ts';
import { checkDeliveries } from './checks/deliveries.ts';
import { checkAdministrators, examineHost, type HostContext, hostUnchecked } from './checks/hosts.ts';
import { checkDisk, checkGit } from './checks/machine.ts';
import { configuredHosts } from './describe-hosts.ts';
import { type Area, type DoctorReport, type Finding, found, quoted, toReport } from './finding.ts';
import { countPrivateByCredential, findInstalledAccounts } from './store.ts';

interface DoctorOptions {
  config: Config;
  providers: ReadonlyMap<string, Provider>;
  now: () => Date;
  /** Ends all checks when the process receives a signal to end. */
  signal: AbortSignal;
  /** The limit for one check, in ms. */
  limitMs: number;
}

/** The share of a check's time for calls to the host; the rest is left to report the credentials without a response. */
const hostShare = 0.8;
/** The limit for opening the database, in limits of a check: an embedded one may have to be started and repaired. */
const openingFactor = 4;

interface Check {
  area: Area;
  /** Names the part that is checked, for the case that the check fails. */
  subject: string;
  run: (signal: AbortSignal) => Promise<Finding[]>;
}

/**
 * Runs all checks, each for a limited time. A check that fails or takes too long is a finding, and stops no other one.
 */
export async function runDoctor(options: DoctorOptions): Promise<DoctorReport> {
  const { config, now, limitMs } = options;
  const opened = await openInTime(options);
  const { database, isReadable } = opened;
  try {
    const checks: Check[] = [
      { area: 'machine', subject: 'git', run: checkGit },
      { area: 'machine', subject: 'disk', run: () => checkDisk(config.dataDir) },
      ...hostChecks(options, isReadable ? database : undefined),
      ...(database === undefined || !isReadable ? [] : databaseChecks(options, database)),
    ];
    const findings = await Promise.all(checks.map((check) => runCheck(check, options.signal, limitMs)));
    options.signal.throwIfAborted();
    return toReport([...opened.findings, ...findings.flat()], now());
  } finally {
    await database?.close();
  }
}

/** Opens the database within a time limit. Closes it again if it opens only after the limit. */
async function openInTime({ config, signal, limitMs }: DoctorOptions): Promise<Opened> {
  const opening = openForDoctor(config, limitMs);
  let opened: Opened | undefined;
  const check: Check = {
    area: 'database',
    subject: 'database',
    run: async () => {
      opened = await opening;
      return [];
    },
  };
  const failed = await runCheck(check, signal, limitMs * openingFactor);
  if (opened !== undefined) return opened;
  void opening.then((late) => late.database?.close()).catch(() => {});
  signal.throwIfAborted();
  return { findings: failed, isReadable: false };
}

function databaseChecks({ config, now }: DoctorOptions, database: Database): Check[] {
  const { connection } = database;
  const names = config.providers.map(({ name }) => name);
  return [
    { area: 'database', subject: 'clock and nodes', run: () => checkServer(database, now) },
    { area: 'database', subject: 'locks', run: () => checkLocks(connection, now()) },
    { area: 'database', subject: 'space', run: () => checkSpace(database) },
    { area: 'database', subject: 'replica', run: () => checkReplica(database) },
    {
      area: 'deliveries',
      subject: 'deliveries',
      run: () => checkDeliveries(connection, configuredHosts(config), now()),
    },
    { area: 'hosts', subject: 'installations', run: () => checkInstallations(connection) },
    { area: 'hosts', subject: 'administrators', run: () => checkAdministrators(connection, now()) },
    { area: 'collecting', subject: 'streams', run: () => checkStreams(connection, now()) },
    { area: 'collecting', subject: 'waiting repositories', run: () => checkWaiting(connection, now()) },
    { area: 'collecting', subject: 'skipped items', run: () => checkSkipped(connection, now()) },
    { area: 'collecting', subject: 'counts of commits', run: () => checkCounts(connection) },
    { area: 'collecting', subject: 'drift', run: () => checkDrift(connection, now()) },
    { area: 'collecting', subject: 'polls', run: () => checkPolls(connection, names, now()) },
    { area: 'collecting', subject: 'lookups', run: () => checkLookups(connection, now()) },
    { area: 'jobs', subject: 'jobs', run: () => checkJobs(connection, now()) },
  ];
}

/**
 * Returns the checks of the configured hosts.
 * @param database undefined when its data cannot be read; the hosts are then checked without it.
 */
function hostChecks(options: DoctorOptions, database: Database | undefined): Check[] {
  const { config, providers, now, limitMs } = options;
  return configuredHosts(config).flatMap((host) => {
    const provider = providers.get(host.name);
    if (provider === undefined) return [];
    const run = async (signal: AbortSignal): Promise<Finding[]> => {
      if (database !== undefined) provider.app?.use(await findUsable(database.connection, host.name));
      const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs * hostShare)]);
      const diagnosis = await provider.diagnose?.(limited);
      if (diagnosis === undefined) return [hostUnchecked(host)];
      const credentialNames = diagnosis.credentials.flatMap(({ credentialName }) => credentialName ?? []);
      const context: HostContext = {
        now: now(),
        sendsDeliveries: provider.deliveries !== undefined,
        shown: database === undefined ? new Map() : await countPrivateByCredential(database.connection),
        installedOn:
          database === undefined ? new Map() : await findInstalledAccounts(database.connection, credentialNames),
      };
      return examineHost(host, diagnosis, context);
    };
    return [{ area: 'hosts', subject: host.name, run }];
  });
}

async function runCheck({ area, subject, run }: Check, signal: AbortSignal, limitMs: number): Promise<Finding[]> {
  const limit = new AbortController();
  const { promise: stopped, resolve: stop } = Promise.withResolvers<Finding[]>();
  const fail = (message: string): void => {
    limit.abort();
    stop([failed(area, subject, message)]);
  };
  const timer = setTimeout(() => fail(`it took longer than ${limitMs / 1000} s`), limitMs);
  const end = (): void => fail('it was interrupted');
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([run(limit.signal), stopped]);
  } catch (error) {
    return [failed(area, subject, formatReason(error))];
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

function failed(area: Area, subject: string, why: string): Finding {
  return found(area, {
    severity: 'problem',
    code: 'check_failed',
    subject,
    message: `This could not be checked: ${why}.`,
    remedy: 'Run plaudit doctor again; if it fails again, look into the log of the service or report it.',
  });
}

/** Returns the text of an error. It contains no stored data: messages of PostgreSQL name only tables and columns. */
function formatReason(error: unknown): string {
  if (error instanceof AppError) return quoted(error.message).replace(/\.$/, '');
  return error instanceof Error ? quoted(`${error.name}: ${error.message}`) : 'for an unknown reason';
}
