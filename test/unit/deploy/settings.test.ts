import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { type Config, readConfig } from '../../../src/app/config/config.ts';
import { fileVariable } from '../../../src/app/config/environment.ts';
import { settings } from '../../../src/app/config/settings.ts';
import { bodyLimits } from '../../../src/sync/deliveries/bodies.ts';
import { at, dockerfile, read, readPairs, readYaml, yamlFiles } from './files.ts';

const names = new Set(settings.flatMap(({ name, isSecret }) => (isSecret ? [name, fileVariable(name)] : [name])));
/** Variables of Node, npm and git, which are no settings of the service. */
const foreign = new Set([
  'NODE_ENV',
  'HTTPS_PROXY',
  // Heroku sets it.
  'DATABASE_CONNECTION_POOL_URL',
  // They are read by Node and git, and name authorities in place of CA_FILE.
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'GIT_SSL_CAINFO',
  ...['SDK_DISABLED', 'SERVICE_NAME', 'RESOURCE_ATTRIBUTES', 'TRACES_SAMPLER_ARG'].map((name) => `OTEL_${name}`),
  ...['ENDPOINT', 'TRACES_ENDPOINT', 'HEADERS'].map((name) => `OTEL_EXPORTER_OTLP_${name}`),
]);

const strings = (values: readonly unknown[]): string[] => values.map(String);

/** Returns the pairs of lists such as `A=1 B=2`. */
const pairsIn = (text: string): Record<string, string> =>
  Object.fromEntries(text.split(' ').map((pair) => pair.split('=') as [string, string]));

function ofImage(): Record<string, string> {
  return pairsIn(dockerfile().find(({ name }) => name === 'ENV')?.text ?? '');
}

function ofCompose(): Record<string, string> {
  const [compose] = readYaml(yamlFiles.compose);
  const [environment] = at(compose, 'services', 'plaudit', 'environment');
  return { ...ofImage(), ...readPairs('deploy/compose/plaudit.env'), ...Object(environment) };
}

function container(): unknown {
  const [deployment] = readYaml(yamlFiles.kubernetes);
  return at(deployment, 'spec', 'template', 'spec', 'containers', '0')[0];
}

function ofKubernetes(): Record<string, string> {
  const [secret] = readYaml(yamlFiles.secret);
  const variables = at(container(), 'env', '*').map((variable): [string, string] => {
    const [name] = strings(at(variable, 'name'));
    const [key] = strings(at(variable, 'valueFrom', 'secretKeyRef', 'key'));
    const [value] = strings(key === undefined ? at(variable, 'value') : at(secret, 'stringData', key));
    assert.ok(name !== undefined && value !== undefined, key);
    return [name, value];
  });
  return { ...ofImage(), ...Object.fromEntries(variables) };
}

function ofUnit(): Record<string, string> {
  const lines = read('deploy/systemd/plaudit.service').matchAll(/^Environment=(.*)$/gm);
  const own = Object.assign({}, ...[...lines].map(([, text = '']) => pairsIn(text)));
  return { ...own, ...readPairs('deploy/systemd/plaudit.env') };
}

const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' });

/** Reads the configuration that an environment makes; the files of secrets have valid contents. */
function toConfig(environment: Record<string, string>): Config {
  const { NODE_ENV: _mode, NODE_COMPILE_CACHE: _cache, ...variables } = environment;
  assert.deepEqual(
    Object.keys(variables).filter((name) => !names.has(name)),
    [],
  );
  return readConfig(variables, (path) => {
    if (/database_url/i.test(path)) return 'postgresql://plaudit:password@postgres:5432/plaudit\n';
    return /private_key/i.test(path) ? String(key) : 'a-secret-of-32-random-characters\n';
  });
}

describe('settings in the files for deployments', () => {
  it('are complete for the compose file: its own database, and a proxy on its network', () => {
    const config = toConfig(ofCompose());
    assert.deepEqual(
      [config.host, config.metricsHost, config.dataDir],
      ['0.0.0.0', '0.0.0.0', '/var/lib/plaudit/data'],
    );
    assert.equal(new URL(config.databaseUrl ?? '').hostname, 'postgres');
    assert.deepEqual(config.trustedProxies, ['uniquelocal']);
  });

  it('name only secrets of the compose file that it has', () => {
    const [compose] = readYaml(yamlFiles.compose);
    const [defined] = at(compose, 'secrets').map((secrets) => Object.keys(Object(secrets)));
    const paths = [...Object.values(ofCompose()), ...strings(at(compose, 'services', 'postgres', 'environment', '*'))];
    const used = paths
      .filter((path) => path.startsWith('/run/secrets/'))
      .map((path) => path.slice('/run/secrets/'.length));
    const mounted = strings(at(compose, 'services', '*', 'secrets', '*'));
    assert.deepEqual(used.toSorted(), mounted.toSorted());
    assert.deepEqual(mounted.toSorted(), defined?.toSorted());
  });

  it('are complete for Kubernetes, with each secret in the example', () => {
    const variables = ofKubernetes();
    const config = toConfig(variables);
    assert.equal(config.publicUrl, 'https://plaudit.example.org');
    const [secret] = readYaml(yamlFiles.secret);
    const [stored] = at(secret, 'stringData').map((data) => Object.keys(Object(data)));
    const files = Object.values(variables).filter((value) => value.startsWith('/etc/plaudit/'));
    const used = [...files.map((path) => path.slice('/etc/plaudit/'.length)), 'GITHUB_APP_ID'];
    assert.deepEqual(used.toSorted(), stored?.toSorted());
  });

  it('are complete for systemd, with each secret as a credential', () => {
    const variables = ofUnit();
    const config = toConfig(variables);
    assert.deepEqual([config.host, config.trustedProxies], ['127.0.0.1', ['loopback']]);
    const loaded = [...read('deploy/systemd/plaudit.service').matchAll(/^LoadCredential=(\w+):/gm)].map(
      ([, id]) => `%d/${id}`,
    );
    assert.deepEqual(
      Object.values(variables).filter((value) => value.startsWith('%d/')),
      loaded,
    );
  });

  it('exist where the documents name them', () => {
    for (const path of ['docs/operations.md', 'docs/runbook.md']) {
      const named = [...read(path).matchAll(/`([A-Z]+(?:_[A-Z]+)+)(?:=[^`]*)?`/g)].map(([, name = '']) => name);
      assert.ok(named.length > 0);
      assert.deepEqual(
        named.filter((name) => !names.has(name) && !foreign.has(name)),
        [],
        path,
      );
    }
  });
});

describe('limits in the files for deployments', () => {
  it('give the service more time to stop than it takes', () => {
    const longestStopS = 5;
    const [deployment] = readYaml(yamlFiles.kubernetes);
    const [grace] = at(deployment, 'spec', 'template', 'spec', 'terminationGracePeriodSeconds').map(Number);
    const [command] = at(container(), 'lifecycle', 'preStop', 'exec', 'command').map((words) => strings(Object(words)));
    assert.ok((grace ?? 0) > longestStopS + Number(command?.[1]));
    const [unit] = /TimeoutStopSec=(\d+)/.exec(read('deploy/systemd/plaudit.service'))?.slice(1).map(Number) ?? [];
    assert.ok((unit ?? 0) > longestStopS);
    const [compose] = strings(at(readYaml(yamlFiles.compose)[0], 'services', 'plaudit', 'stop_grace_period'));
    assert.ok(Number.parseInt(compose ?? '', 10) > longestStopS);
  });

  it('let proxies pass deliveries of the largest size', () => {
    const mebibytes = bodyLimits.bodyBytes / 1024 ** 2;
    assert.match(read('deploy/proxy/Caddyfile'), new RegExp(`max_size ${mebibytes}MiB`));
    assert.match(read('deploy/proxy/nginx.conf'), new RegExp(`client_max_body_size ${mebibytes}m;`));
    assert.match(read(yamlFiles.kubernetes), new RegExp(`proxy-body-size: ${mebibytes}m`));
  });

  it('send probes and scrapes to the ports on which the service listens', () => {
    const { port, metricsPort } = toConfig(ofKubernetes());
    const ports = at(container(), 'ports', '*', 'containerPort');
    assert.deepEqual(ports, [port, metricsPort]);
    const [deployment] = readYaml(yamlFiles.kubernetes);
    const annotations = at(deployment, 'spec', 'template', 'metadata', 'annotations', 'prometheus.io/port');
    assert.deepEqual(annotations, [String(metricsPort)]);
    assert.deepEqual(strings(at(container(), '*', 'httpGet', 'path')), ['/healthz', '/readyz']);
    assert.deepEqual(dockerfile().find(({ name }) => name === 'EXPOSE')?.text, `${port} ${metricsPort}`);
  });

  it('take all rights from containers that they do not need', () => {
    assert.deepEqual(at(container(), 'securityContext'), [
      { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    ]);
    const [compose] = readYaml(yamlFiles.compose);
    const services = at(compose, 'services', '*');
    assert.equal(services.length, 3);
    for (const service of services) {
      assert.deepEqual(at(service, 'read_only'), [true]);
      assert.deepEqual(at(service, 'cap_drop', '*'), ['ALL']);
      assert.deepEqual(at(service, 'security_opt', '*'), ['no-new-privileges:true']);
      assert.doesNotMatch(String(at(service, 'image')[0]), /:latest$|^[^:]+$/);
    }
  });
});
