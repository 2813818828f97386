import { createProviders } from '../../hosts/index.ts';
import { AppError } from '../../model/errors.ts';
import { type Config, readConfig } from '../config/config.ts';
import { checkGit } from '../doctor/checks/machine.ts';
import { type DoctorReport, found, renderReport, toReport } from '../doctor/finding.ts';
import { runDoctor } from '../doctor/run.ts';
import type { Io } from './io.ts';

/** The limit for one check, in ms. */
const checkLimitMs = 10_000;
const connectTimeoutMs = 5000;

/** Exit statuses of the process. */
const status = { healthy: 0, problems: 1 } as const;

/**
 * `plaudit doctor [--json]`: checks the settings, the hosts and their credentials, the database, deliveries and the
 * collected data, and reports each problem with its remedy.
 */
export async function doctor(io: Io, args: readonly string[]): Promise<number> {
  const report = await examine(io);
  if (args.includes('--json')) io.print(JSON.stringify(report, undefined, 2));
  else for (const line of renderReport(report)) io.print(line);
  return report.healthy ? status.healthy : status.problems;
}

const now = (): Date => new Date();

/** Runs the checks. Without readable settings, git is all that can be checked. */
async function examine(io: Io): Promise<DoctorReport> {
  let config: Config;
  try {
    config = readConfig(io.environment);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const remedy = 'Correct the setting; docs/settings.md lists all of them.';
    const { message } = error;
    const invalid = found('settings', {
      severity: 'problem',
      code: 'settings_invalid',
      message: `${message}.`,
      remedy,
    });
    return toReport([invalid, ...(await checkGit(io.signal))], now());
  }
  const providers = createProviders(config.providers, { connectTimeoutMs, now });
  try {
    return await runDoctor({ config, providers, now, signal: io.signal, limitMs: checkLimitMs });
  } finally {
    await Promise.all([...providers.values()].map((provider) => provider.close()));
  }
}
