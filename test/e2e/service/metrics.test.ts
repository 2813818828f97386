import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { createPrimaryMetrics } from '../../../src/app/workers/primary.ts';
import { until } from '../../time.ts';
import { startTestService } from '../service.ts';

const dashboard = readFileSync('deploy/monitoring/grafana-dashboard.json', 'utf8');
const expressions = {
  alerts: readFileSync('deploy/monitoring/alerts.yaml', 'utf8'),
  dashboard: (JSON.parse(dashboard) as { panels: { targets?: { expr: string }[] }[] }).panels
    .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    .join('\n'),
  documents: globSync(['*.md', 'docs/*.md'])
    .filter((file) => file !== 'CHANGELOG.md')
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n'),
};
const namesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/\b(?:plaudit|nodejs|process)_[a-z\d_]+/g)].map(([name]) => name)),
];

/** Returns the names of the series of all metrics, whether or not they have a value yet. */
function listSeries(metrics: string): Map<string, string> {
  const series = new Map<string, string>();
  for (const [, name = '', type] of metrics.matchAll(/^# TYPE (\S+) (\w+)$/gm)) {
    const endings = type === 'histogram' ? ['', '_bucket', '_sum', '_count'] : [''];
    for (const ending of endings) series.set(`${name}${ending}`, name);
  }
  return series;
}

/** Returns the name, type and meaning of each metric of the service, as it serves them. */
function describedMetrics(metrics: string): string[] {
  const types = new Map(
    [...metrics.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  );
  const helps = new Map(
    [...metrics.matchAll(/^# HELP (plaudit_\S+) (.*)$/gm)].map(([, name = '', help = '']) => [name, help]),
  );
  return [...helps].map(([name, help]) => `${name} ${types.get(name)} ${help}`).toSorted();
}

/** Returns the same of docs/metrics.md. */
function documentedMetrics(): string[] {
  const rows = readFileSync('docs/metrics.md', 'utf8').matchAll(/^\| `(plaudit_\w+)` \| (\w+) \| [^|]* \| (.*) \|$/gm);
  return [...rows].map(([, name = '', type = '', help = '']) => `${name} ${type} ${help}`).toSorted();
}

describe('metrics of a service', () => {
  it('are those that alerts, dashboard and documents name, name no account, and are served without those of a database that fails', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startTestService({ simulator, tokens: ['organization_member', 'public_only'] });
    const { organization } = simulator.accounts;
    await service.getComplete(`${organization}/contributors`);
    await service.get('no-such-account');
    // A change of the account's data may still remove its responses from the cache.
    const metrics = await until(async () => {
      await service.get(`${organization}/contributors`);
      const text = await (await fetch(`${service.service.metricsUrl}/metrics`)).text();
      return text.includes('route="warm",status="200"') ? text : undefined;
    }, 'a response comes from the cache');
    const ofSeveralProcesses = await createPrimaryMetrics().registry.metrics();
    const series = listSeries(`${metrics}\n${ofSeveralProcesses}`);

    for (const [document, text] of Object.entries(expressions)) {
      const named = namesIn(text);
      assert.ok(named.length > 0, document);
      assert.deepEqual(
        named.filter((name) => !series.has(name)),
        [],
        document,
      );
    }
    const usedNames = new Set(
      namesIn(`${expressions.dashboard}\n${expressions.alerts}`).map((name) => series.get(name)),
    );
    const own = [...new Set(series.values())].filter((name) => name.startsWith('plaudit_'));
    assert.deepEqual(
      own.filter((name) => !usedNames.has(name)),
      [],
    );

    assert.deepEqual(describedMetrics(`${metrics}\n${ofSeveralProcesses}`), documentedMetrics());
    assert.match(metrics, /^plaudit_ready 1$/m);
    assert.match(
      metrics,
      /^plaudit_quota_remaining\{provider="github",credential="token 2",resource="graphql"\} \d+$/m,
    );
    assert.match(metrics, /^plaudit_host_response_seconds_count\{provider="github",status="2xx"\} \d+$/m);
    assert.match(metrics, /^plaudit_job_seconds_count\{task="look_up",outcome="done"\} \d+$/m);
    assert.match(metrics, /^plaudit_response_data_age_seconds_count\{route="[^"]*contributors"\} \d+$/m);
    const { rows } = await service.database.pool.query<{ name: string }>(
      'select name from accounts union select name from repositories union select external_id from accounts',
    );
    assert.ok(rows.length > 10);
    const values = new Set([...metrics.matchAll(/="([^"]*)"/g)].map(([, value = '']) => value));
    assert.deepEqual(
      rows.filter(({ name }) => values.has(name) || metrics.includes(`/${name}`)),
      [],
    );

    await service.database.pool.query('alter schema graphile_worker rename to away');
    const rest = await (await fetch(`${service.service.metricsUrl}/metrics`)).text();
    await service.database.pool.query('alter schema away rename to graphile_worker');
    assert.doesNotMatch(rest, /^plaudit_jobs\{/m);
    assert.match(rest, /^plaudit_database_connections\{/m);
    assert.match(rest, /^plaudit_deliveries_pending\{/m);
  });
});
