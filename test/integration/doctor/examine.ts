import assert from 'node:assert/strict';
import { Value } from 'typebox/value';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { type Simulator, startSimulator } from '../../../simulators/github/simulator.ts';
import { doctor } from '../../../src/app/commands/doctor.ts';
import { DoctorReport, type Finding, type FindingCode } from '../../../src/app/doctor/finding.ts';
import type { Database } from '../../../src/database/connections/connection.ts';
import { openDatabase } from '../../../src/database/connections/open.ts';
import { createTestDatabase } from '../../database.ts';

export interface Examined {
  status: number;
  report: DoctorReport;
  /** Everything that the command printed. */
  text: string;
}

/** Runs `plaudit doctor --json` within this process, and checks its output against the documented shape. */
export async function examine(environment: Record<string, string>): Promise<Examined> {
  const printed: string[] = [];
  const io = {
    environment: { LOG_LEVEL: 'silent', ...environment },
    print: (line: string) => void printed.push(line),
    warn: (line: string) => void printed.push(line),
    isTerminal: false,
    signal: AbortSignal.timeout(120_000),
  };
  const status = await doctor(io, ['--json']);
  const text = printed.join('\n');
  const report: unknown = JSON.parse(text);
  const [fault] = Value.Errors(DoctorReport, report);
  assert.equal(fault, undefined, `${fault?.instancePath} ${fault?.message}`);
  return { status, report: Value.Parse(DoctorReport, report), text };
}

/** Returns the findings with a code, as `severity subject: message remedy`. */
export function listLines({ report }: Pick<Examined, 'report'>, code: FindingCode): string[] {
  return report.findings.filter((finding) => finding.code === code).map(toLine);
}

function toLine({ severity, subject, message, remedy }: Finding): string {
  return [`${severity}${subject === '' ? '' : ` ${subject}`}:`, message, ...(remedy === null ? [] : [remedy])].join(
    ' ',
  );
}

/** Returns the codes of all problems. */
export function problems({ report }: Pick<Examined, 'report'>): string[] {
  return report.findings.filter(({ severity }) => severity === 'problem').map(({ code }) => code);
}

/** A database of its own, and a host that responds. */
export interface DoctorFixture extends AsyncDisposable {
  simulator: Simulator;
  database: Database;
  environment: Record<string, string>;
}

export async function openDoctorFixture(): Promise<DoctorFixture> {
  await using stack = new AsyncDisposableStack();
  const simulator = stack.use(await startSimulator({ repositories: 1 }));
  const { url } = stack.use(await createTestDatabase());
  const directory = stack.use(await makeTemporaryDirectory());
  const database = await openDatabase({ databaseUrl: url, dataDir: '/nonexistent', log: () => {} });
  stack.defer(() => database.close());
  const environment = {
    DATABASE_URL: url,
    DATA_DIR: directory.path,
    GITHUB_URL: simulator.url,
    GITHUB_API_URL: simulator.apiUrl,
    GITHUB_TOKEN: simulator.tokens.public_only,
    GITHUB_WEBHOOK_SECRET: 'a secret for deliveries',
  };
  const parts = stack.move();
  return { simulator, database, environment, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}
