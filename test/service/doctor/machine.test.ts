import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { readConfig } from '../../../src/app/config/config.ts';
import {
  examineClock,
  examineMigrations,
  examineReplica,
  examineServer,
} from '../../../src/app/doctor/checks/database.ts';
import { examineDisk } from '../../../src/app/doctor/checks/machine.ts';
import { findingCodes, found, renderReport, toReport } from '../../../src/app/doctor/finding.ts';
import { runDoctor } from '../../../src/app/doctor/run.ts';
import { openUnchanged } from '../../../src/database/connections/open.ts';
import { readMigrationState } from '../../../src/database/migrations/migrate.ts';
import { createProviders } from '../../../src/hosts/index.ts';
import { createTestDatabase } from '../../database.ts';
import { examine, listLines, openDoctorFixture, problems } from '../../integration/doctor/examine.ts';
import { program, programEnvironment } from '../../program.ts';

/** Runs the command line as a person does. */
async function plaudit(args: string[], environment: Record<string, string>) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...programEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: code as number | null, out, err };
}

describe('plaudit doctor on the machine and the database', () => {
  it('reports that the database is down, and still checks the hosts', async () => {
    await using fixture = await openDoctorFixture();
    const url = 'postgresql://user:secret-value@127.0.0.1:9/none';
    const examined = await examine({ ...fixture.environment, DATABASE_URL: url });
    assert.equal(examined.status, 1);
    assert.deepEqual(problems(examined), ['database_unreachable']);
    assert.match(
      listLines(examined, 'database_unreachable')[0] ?? '',
      /^problem: The database does not respond: .*ECONNREFUSED.* Start PostgreSQL, or correct DATABASE_URL/,
    );
    assert.equal(listLines(examined, 'credential_accepted').length, 1);
    assert.ok(!examined.text.includes('secret-value'));
  });

  it('reports pending migrations, and runs none', async () => {
    await using fixture = await openDoctorFixture();
    await using created = await createTestDatabase({ withTables: false });
    const settings = { ...fixture.environment, DATABASE_URL: created.url };
    assert.match(
      listLines(await examine(settings), 'migrations_pending')[0] ?? '',
      /^hint: The database is empty\. Start/,
    );
    const opened = await openUnchanged({ databaseUrl: created.url, dataDir: '/nonexistent', log: () => {} });
    assert.deepEqual((await readMigrationState(opened)).applied, []);
    await opened.close();
    const pending = examineMigrations({ applied: ['a'], pending: ['b', 'c'], unknown: [], isFormer: false });
    assert.match(pending[0]?.message ?? '', /^2 migrations of this release are pending/);
  });

  it('reports that statements have no time limit of the server behind a pooler', async () => {
    await using fixture = await openDoctorFixture();
    const { DATABASE_URL: url = '' } = fixture.environment;
    assert.deepEqual(listLines(await examine(fixture.environment), 'statement_limit_missing'), []);
    const settings = { ...fixture.environment, DATABASE_DIRECT_URL: url };
    assert.match(listLines(await examine(settings), 'statement_limit_missing')[0] ?? '', /^hint: Behind a pooler/);
    const name = new URL(url).pathname.slice(1);
    await fixture.database.pool.query(`alter database ${name} set statement_timeout = '10min'`);
    assert.deepEqual(listLines(await examine(settings), 'statement_limit_missing'), []);
  });

  it('reports a replica that does not respond, or is no standby of the database', async () => {
    await using fixture = await openDoctorFixture();
    const { DATABASE_URL: url = '' } = fixture.environment;
    const away = 'postgresql://user:secret-value@127.0.0.1:9/none';
    const examined = await examine({ ...fixture.environment, DATABASE_REPLICA_URL: away });
    assert.match(
      listLines(examined, 'replica_unreachable')[0] ?? '',
      /^hint: The replica does not respond: .*ECONNREFUSED.* All responses are read from the primary\./,
    );
    assert.ok(!examined.text.includes('secret-value'));
    const unfit = await examine({ ...fixture.environment, DATABASE_REPLICA_URL: url });
    assert.deepEqual(problems(unfit), ['replica_unfit']);
    assert.equal(examineReplica(5).code, 'replica_reachable');
    assert.equal(examineReplica(17 * 1024 * 1024).code, 'replica_behind');
  });

  it('reports tables of a newer release', async () => {
    await using fixture = await openDoctorFixture();
    const { pool } = fixture.database;
    await pool.query("insert into applied_migrations (name) values ('9999-future')");
    const examined = await examine(fixture.environment);
    assert.deepEqual(problems(examined), ['database_too_new']);
    assert.match(listLines(examined, 'database_too_new')[0] ?? '', /newer release \(9999-future\)\. Run that release/);
  });

  it('reports tables of another version, which an export and an import bring along', async () => {
    await using fixture = await openDoctorFixture();
    await fixture.database.pool.query("update applied_migrations set name = 'baseline-000000000000'");
    const examined = await examine(fixture.environment);
    assert.deepEqual(problems(examined), ['tables_of_another_version']);
    assert.match(
      listLines(examined, 'tables_of_another_version')[0] ?? '',
      /^problem: The tables are those of another version\. Run `plaudit export FILE` of the version that wrote/,
    );
  });

  it('creates no database where none exists', async () => {
    await using fixture = await openDoctorFixture();
    await using directory = await makeTemporaryDirectory();
    const { DATABASE_URL: _, ...settings } = fixture.environment;
    const examined = await examine({ ...settings, DATA_DIR: directory.pathOf('data') });
    assert.deepEqual(problems(examined), []);
    assert.match(
      listLines(examined, 'database_missing')[0] ?? '',
      /^hint: There is no database in .*data \(DATA_DIR\) yet/,
    );
    assert.deepEqual(await readdir(directory.path), []);
  });

  it('goes on when a host never responds, and ends in time', async () => {
    await using fixture = await openDoctorFixture();
    const config = readConfig(fixture.environment, () => '');
    fixture.simulator.faults.add({ kind: 'never', times: 100 });
    const now = (): Date => new Date();
    const providers = createProviders(config.providers, { connectTimeoutMs: 1000, now });
    const signal = new AbortController().signal;
    const report = await runDoctor({ config, providers, now, signal, limitMs: 2000 });
    for (const provider of providers.values()) await provider.close();
    const [unreachable] = listLines({ report }, 'host_unreachable');
    assert.match(unreachable ?? '', /does not respond in time/);
    assert.equal(listLines({ report }, 'streams_read').length, 1);
  });

  it('compares versions, clocks and disks with the requirements', () => {
    const server = (number: number, name: string) => examineServer({ number, name }, 'PostgreSQL at db/plaudit');
    assert.deepEqual(
      [server(140_013, '14.13').code, server(150_000, '15.0').code, server(180_001, '18.1').severity],
      ['database_too_old', 'database_reachable', 'fine'],
    );
    assert.match(server(140_013, '14.13').message, /is version 14\.13; the service needs 15 or later/);
    assert.deepEqual(examineMigrations({ applied: ['a'], pending: [], unknown: [], isFormer: false }), []);
    assert.deepEqual(
      [0, 4000, -6000, 120_000].map((ms) => examineClock(ms)[0]?.severity),
      [undefined, undefined, 'hint', 'problem'],
    );
    assert.match(examineClock(-6000)[0]?.message ?? '', /is 6 seconds behind this machine's/);
    const gib = 1024 ** 3;
    assert.deepEqual(
      [gib / 2, 5 * gib, 50 * gib].map((bytes) => examineDisk('/data', { bytes, inodes: undefined }).severity),
      ['problem', 'hint', 'fine'],
    );
    const { severity, message } = examineDisk('/data', { bytes: 50 * gib, inodes: 12 });
    assert.deepEqual([severity, message.slice(0, 40)], ['problem', 'Only 12 inodes are free in /data (DATA_D']);
  });

  it('documents every code', async () => {
    const documentation = await readFile(new URL('../../../docs/doctor.md', import.meta.url), 'utf8');
    const missing = findingCodes.filter((code) => !documentation.includes(`\`${code}\``));
    assert.deepEqual(missing, []);
  });

  it('prints problems first, one line each, without control characters', () => {
    const fine = found('machine', { severity: 'fine', code: 'git_found', message: 'git is version 2.39.5.' });
    const message = 'The host says \u001b[2J\nmore.';
    const problem = found('jobs', {
      severity: 'problem',
      code: 'jobs_failing',
      subject: 'collect',
      message,
      remedy: 'Do.',
    });
    const hint = found('hosts', { severity: 'hint', code: 'quota_low', message: 'Little is left.' });
    assert.deepEqual(renderReport(toReport([fine, hint, problem], new Date(0))), [
      '1 problem found. 1 hint, too.',
      '',
      'Problems',
      '  jobs, collect: The host says  [2J more. Do.',
      '',
      'Hints',
      '  hosts: Little is left.',
      '',
      'Fine',
      '  machine: git is version 2.39.5.',
    ]);
    assert.deepEqual(renderReport(toReport([fine], new Date(0))).slice(0, 3), ['Nothing is wrong.', '', 'Fine']);
  });

  it('ends with 0 or 1, and reports a git that is missing', async () => {
    await using fixture = await openDoctorFixture();
    const settings = { ...fixture.environment, LOG_LEVEL: 'silent' };
    const well = await plaudit(['doctor'], settings);
    assert.deepEqual([well.code, well.err], [0, ''], well.out);
    assert.match(well.out, /^Nothing is wrong\. /);
    const ill = await plaudit(['doctor', '--json'], { ...settings, PATH: fixture.environment['DATA_DIR'] ?? '' });
    assert.equal(ill.code, 1);
    const report = JSON.parse(ill.out) as { findings: { code: string; message: string }[] };
    assert.match(report.findings[0]?.message ?? '', /there is no git on the PATH/);
    assert.equal(report.findings[0]?.code, 'git_unfit');
  });

  it('names the setting that is invalid without its value', async () => {
    await using fixture = await openDoctorFixture();
    const examined = await examine({ ...fixture.environment, PORT: 'secret-value' });
    assert.equal(examined.status, 1);
    assert.match(
      listLines(examined, 'settings_invalid')[0] ?? '',
      /^problem: PORT must be an integer .*\. Correct the setting/,
    );
    assert.ok(!examined.text.includes('secret-value'));
  });
});
