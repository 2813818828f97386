import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { readConfig } from '../../src/app/config/config.ts';

const noFiles = (path: string): string => {
  throw new Error(`unexpected read of ${path}`);
};

/** Returns the message that stops the start. */
function refusal(environment: Record<string, string>, readFile = noFiles): string {
  try {
    readConfig(environment, readFile);
  } catch (error) {
    assert.ok(error instanceof Error);
    assert.ok(!error.message.includes('\n'));
    return error.message;
  }
  return assert.fail('the settings were accepted');
}

describe('settings', () => {
  it('returns the defaults of a new installation for an empty environment', () => {
    const config = readConfig({}, noFiles);
    assert.equal(config.host, '127.0.0.1');
    assert.equal(config.port, 8080);
    assert.equal(config.metricsPort, 9090);
    assert.equal(config.metricsPortIsSet, false);
    assert.equal(config.databaseUrl, undefined);
    assert.equal(config.lookupBudgetMs, 3000);
    assert.equal(config.freshForMs, 3_600_000);
    assert.deepEqual(config.providers, [
      {
        name: 'github',
        kind: 'github',
        url: 'https://github.com',
        apiUrl: 'https://api.github.com',
        tokens: [],
        webhookSecret: undefined,
        app: undefined,
        oauth: undefined,
        source: 'default',
      },
    ]);
  });

  it('reads the registration for sign-in, which has an id and a secret', () => {
    const both = { GITLAB_URL: 'https://gitlab.example', GITLAB_OAUTH_CLIENT_ID: 'x', GITLAB_OAUTH_CLIENT_SECRET: 'y' };
    assert.deepEqual(readConfig(both, noFiles).providers[1]?.oauth, { id: 'x', secret: 'y' });
    assert.throws(
      () => readConfig({ GITHUB_OAUTH_CLIENT_ID: 'x' }, noFiles),
      /GITHUB_OAUTH_CLIENT_ID is set without GITHUB_OAUTH_CLIENT_SECRET/,
    );
  });

  it('treats an empty value as unset', () => {
    assert.equal(readConfig({ PORT: '', GITHUB_TOKEN: '', DATABASE_URL: '' }, noFiles).port, 8080);
  });

  it('configures github.com by default unless a setting is about GitHub', () => {
    for (const [environment, expected] of [
      [{}, true],
      [{ GITEA_URL: 'https://git.example' }, true],
      [{ GITHUB_TOKEN: 'ghp_a' }, false],
      [{ GITHUB_URL: 'https://github.example' }, false],
    ] as [Record<string, string>, boolean][]) {
      assert.equal(readConfig(environment, noFiles).providers[0]?.source === 'default', expected);
    }
  });

  it('splits and trims a list of tokens, and removes duplicates', () => {
    const config = readConfig({ GITHUB_TOKEN: 'ghp_a, ghp_b ,ghp_a' }, noFiles);
    assert.deepEqual(config.providers[0]?.tokens, ['ghp_a', 'ghp_b']);
  });

  it('reads a secret from a file or from the environment, but not from both', () => {
    const files: Record<string, string> = { '/run/secrets/token': 'ghp_a\n' };
    const readFile = (path: string): string => files[path] ?? noFiles(path);
    const config = readConfig({ GITHUB_TOKEN_FILE: '/run/secrets/token' }, readFile);
    assert.deepEqual(config.providers[0]?.tokens, ['ghp_a']);
    assert.match(refusal({ GITHUB_TOKEN: 'x', GITHUB_TOKEN_FILE: '/run/secrets/token' }, readFile), /both set/);
    assert.match(refusal({ DATABASE_URL_FILE: '/absent' }), /^DATABASE_URL_FILE names a file/);
  });

  it('refuses a wrong value by the name of the setting, and never repeats it', () => {
    const wrong: Record<string, string> = {
      PORT: '80a80',
      METRICS_PORT: '65536',
      PUBLIC_URL: 'ftp://marker.example',
      DATABASE_URL: 'mysql://user:marker@host/db',
      GITHUB_TOKEN: 'ghp_marker ghp_b',
      GITHUB_API_URL: 'https://user:marker@host',
      GITHUB_URL: 'marker',
      LOOKUP_BUDGET_MS: '-1',
      FRESH_FOR_S: '0marker',
      LOG_LEVEL: 'marker',
      TOKEN_TTL_S: '59',
      RATE_LIMIT_PER_MINUTE: '2000000',
      TRUST_PROXY: 'marker',
    };
    for (const [name, value] of Object.entries(wrong)) {
      const message = refusal({ [name]: value });
      assert.match(message, new RegExp(`^${name} must be `));
      assert.ok(!message.includes(value) && !message.includes('marker'), message);
    }
  });

  it('accepts an address, a range, or one of three names as a trusted proxy', () => {
    for (const text of [
      'loopback',
      '10.0.0.0/8, ::1',
      'uniquelocal,192.168.1.1',
      '2001:db8::/32',
      '::ffff:10.0.0.1/128',
    ]) {
      assert.deepEqual(readConfig({ TRUST_PROXY: text }, noFiles).trustedProxies, text.split(/, ?/));
    }
    for (const text of [
      'true',
      '1',
      '*',
      '10.0.0.0/33',
      '10.0.0/8',
      '10.0.0.256',
      '::1/129',
      '10.0.0.1/8/8',
      'proxy.example',
      ',',
    ]) {
      assert.match(refusal({ TRUST_PROXY: text }), /^TRUST_PROXY must be addresses/, text);
    }
  });

  it('refuses an unknown setting of the service by name, and ignores variables of other programs', () => {
    assert.match(refusal({ GITHUB_TOKENS: 'x' }), /^GITHUB_TOKENS is not a setting/);
    assert.match(refusal({ LOOKUP_BUDGET: '3000' }), /^LOOKUP_BUDGET is not a setting/);
    assert.match(refusal({ PLAUDIT_PORT: '1' }), /^PLAUDIT_PORT is not a setting/);
    assert.match(refusal({ DATABASE_URL_FILES: 'x' }), /^DATABASE_URL_FILES is not a setting/);
    readConfig({ PATH: '/bin', HOME: '/home/somebody', NODE_ENV: 'production' }, noFiles);
    readConfig({ GITHUB_ACTIONS: 'true', GITHUB_SHA: 'abc', GITHUB_RUN_ID: '1' }, noFiles);
    readConfig({ GITEA_API_URL: 'https://git.example' }, noFiles);
  });

  it('uses the API of github.com for https://github.com alone, and sends it no token of a GitHub Enterprise Server', () => {
    const [gitHub] = readConfig({ GITHUB_URL: 'https://github.com/' }, noFiles).providers;
    assert.equal(gitHub?.apiUrl, 'https://api.github.com');
    const config = readConfig({ GITHUB_URL: 'https://github.example/', GITHUB_TOKEN: 'ghp_a' }, noFiles);
    assert.equal(config.providers[0]?.url, 'https://github.example');
    assert.equal(config.providers[0]?.apiUrl, 'https://github.example/api/v3');
  });

  it('finds the API of a GitHub with data residency at a host of its own', () => {
    const toApiUrl = (url: string) => readConfig({ GITHUB_URL: url }, noFiles).providers[0]?.apiUrl;
    assert.equal(toApiUrl('https://acme.ghe.com/'), 'https://api.acme.ghe.com');
    assert.equal(toApiUrl('https://ACME.GHE.com'), 'https://api.acme.ghe.com');
    assert.equal(toApiUrl('https://acme-ghe.com'), 'https://acme-ghe.com/api/v3');
    const yaml = '- {name: work, kind: github, url: "https://acme.ghe.com"}\n';
    const [, fromFile] = readConfig({ PROVIDERS_FILE: 'p.yaml' }, () => yaml).providers;
    assert.equal(fromFile?.apiUrl, 'https://api.acme.ghe.com');
  });

  it('adds instances of a providers file under their own names', () => {
    const yaml =
      '- {name: work, kind: github, url: "https://git.example", token: "a,b", webhook_secret: "0123456789abcdef"}\n';
    const config = readConfig({ PROVIDERS_FILE: 'p.yaml' }, () => yaml);
    assert.deepEqual(config.providers[1], {
      name: 'work',
      kind: 'github',
      url: 'https://git.example',
      apiUrl: 'https://git.example/api/v3',
      tokens: ['a', 'b'],
      webhookSecret: '0123456789abcdef',
      app: undefined,
      oauth: undefined,
      source: 'file',
    });
  });

  it('reads an App from its id and private key: PEM of both kinds, in one line, in a file, or of another instance', () => {
    const pkcs8 = rsa.export({ type: 'pkcs8', format: 'pem' }).toString();
    for (const key of [pem, pkcs8, pem.replaceAll('\n', '\\n'), `  ${pem.trim()}`]) {
      const { app } = readConfig({ GITHUB_APP_ID: '12', GITHUB_APP_PRIVATE_KEY: key }, noFiles).providers[0] ?? {};
      assert.equal(app?.id, '12');
      assert.ok(app.privateKey.equals(rsa));
    }
    const fromFile = readConfig({ GITHUB_APP_ID: 'Iv23abc', GITHUB_APP_PRIVATE_KEY_FILE: 'key.pem' }, () => pem);
    assert.equal(fromFile.providers[0]?.app?.id, 'Iv23abc');
    const entry = { name: 'work', kind: 'github', url: 'https://git.example', app_id: 12, app_private_key: pem };
    const { providers } = readConfig({ PROVIDERS_FILE: 'p.yaml' }, () => JSON.stringify([entry]));
    assert.deepEqual([providers[0]?.app, providers[1]?.app?.id], [undefined, '12']);
  });

  it('refuses an incomplete App or an invalid key in one line that names the setting and no value', () => {
    const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
    const ed25519Key = generateKeyPairSync('ed25519').privateKey;
    const cases: [Record<string, string>, RegExp][] = [
      [{ GITHUB_APP_ID: '12' }, /^GITHUB_APP_ID is set and GITHUB_APP_PRIVATE_KEY is not/],
      [{ GITHUB_APP_PRIVATE_KEY: pem }, /^GITHUB_APP_PRIVATE_KEY is set and GITHUB_APP_ID is not/],
      [{ GITHUB_APP_ID: 'my app', GITHUB_APP_PRIVATE_KEY: pem }, /^GITHUB_APP_ID must be the App ID/],
      ...['marker', pem.slice(0, 400), rsa.export({ type: 'pkcs1', format: 'pem' }).toString().replaceAll('RSA', 'DSA')]
        .concat([small, ed25519Key].map((key) => key.export({ type: 'pkcs8', format: 'pem' }).toString()))
        .map((key): [Record<string, string>, RegExp] => [
          { GITHUB_APP_ID: '12', GITHUB_APP_PRIVATE_KEY: key },
          /^GITHUB_APP_PRIVATE_KEY must be a private key/,
        ]),
    ];
    const jwk = rsa.export({ format: 'jwk' });
    const modulus = Buffer.from(jwk.n ?? '', 'base64url');
    modulus.writeUInt8(modulus.readUInt8(modulus.length - 1) - 1, modulus.length - 1);
    const even = createPrivateKey({ key: { ...jwk, n: modulus.toString('base64url') }, format: 'jwk' });
    cases.push([
      { GITHUB_APP_ID: '12', GITHUB_APP_PRIVATE_KEY: even.export({ type: 'pkcs1', format: 'pem' }).toString() },
      /^GITHUB_APP_PRIVATE_KEY is a weak RSA key: it has an even modulus/,
    ]);
    for (const [environment, expected] of cases) {
      const message = refusal(environment);
      assert.match(message, expected);
      assert.ok(!message.includes('marker') && !message.includes(pem.split('\n')[2] ?? ''));
    }
    const half = JSON.stringify([{ name: 'work', kind: 'github', url: 'https://git.example', app_id: 12 }]);
    assert.match(
      refusal({ PROVIDERS_FILE: 'p.yaml' }, () => half),
      /^PROVIDERS_FILE: work: app_id is set/,
    );
  });

  it('refuses a public URL that is no plain address, or whose path is an address of the service', () => {
    for (const part of [
      '/?a=b',
      '/?',
      '/#marker',
      '/a/../b',
      '/a/%2e%2e/b',
      '/a//b',
      '/a b',
      '/a;b',
      '/.a',
      '/v1',
      '/github',
      '/docs/a',
    ]) {
      assert.match(refusal({ PUBLIC_URL: `https://marker.example${part}` }), /^PUBLIC_URL/, part);
    }
    assert.match(refusal({ PUBLIC_URL: 'https://marker@host.example/' }), /^PUBLIC_URL/);
    for (const url of ['https://a.example/team/plaudit-2.0', 'http://[::1]:8080', 'https://a.example']) {
      assert.equal(readConfig({ PUBLIC_URL: `${url}/` }, noFiles).publicUrl, url);
    }
  });

  it('refuses an invalid providers file with the path of the fault', () => {
    const cases: [string, RegExp][] = [
      ['- {name: github, kind: github, url: "https://x.example"}', /the name github is taken/],
      ['- {name: Work, kind: github, url: "https://x.example"}', /the fault is at \/0\/name/],
      ['- {name: work, kind: github, url: "https://x.example", tokn: marker}', /the fault is at \/0/],
      ['- {name: work, kind: github, url: "file:///etc"}', /the fault is at \/0\/url/],
      ['{}', /the fault is at the top/],
      ['- [', /isn't valid YAML/],
      ['[{name: cards, kind: gitea, url: "https://git.example"}]', /the name cards is the address of a page/],
      ...['board', 'entities', 'people', 'lists'].map((name): [string, RegExp] => [
        `[{name: ${name}, kind: gitea, url: "https://git.example"}]`,
        new RegExp(`the name ${name} is the address of a page`),
      ]),
      ['a: &a [*a]', /PROVIDERS_FILE/],
    ];
    for (const [yaml, expected] of cases) {
      const message = refusal({ PROVIDERS_FILE: 'p.yaml' }, () => yaml);
      assert.match(message, expected);
      assert.ok(!message.includes('marker'));
    }
  });

  it('configures a self-hosted Gitea as a provider called gitea', () => {
    const settings = { GITEA_URL: 'https://git.example/', GITEA_TOKEN: 'a, b', GITEA_WEBHOOK_SECRET_FILE: 'secret' };
    assert.deepEqual(readConfig(settings, () => 'a webhook secret of ours\n').providers[1], {
      name: 'gitea',
      kind: 'gitea',
      url: 'https://git.example',
      apiUrl: 'https://git.example/api/v1',
      tokens: ['a', 'b'],
      webhookSecret: 'a webhook secret of ours',
      app: undefined,
      oauth: undefined,
      source: 'environment',
    });
    assert.equal(refusal({ GITEA_TOKEN: 'marker' }), 'GITEA_TOKEN is set without GITEA_URL, the address of your Gitea');
    assert.match(refusal({ GITEA_WEBHOOK_SECRET: 'a webhook secret of ours' }), /^GITEA_WEBHOOK_SECRET is set without/);
    assert.match(refusal({ GITEA_URL: 'git.example' }), /^GITEA_URL must be an http/);
  });

  it('configures a self-hosted GitLab as a provider called gitlab, beside others from the file', () => {
    const settings = { GITLAB_URL: 'https://gitlab.example/', GITLAB_TOKEN_FILE: 'token', PROVIDERS_FILE: 'hosts' };
    const files: Record<string, string> = {
      token: 'glpat-a\n',
      hosts: '[{name: work, kind: gitlab, url: https://git.example/gitlab, webhook_secret: a webhook secret of ours}]',
    };
    const [, own, work] = readConfig(settings, (path) => files[path] ?? '').providers;
    assert.deepEqual(own, {
      name: 'gitlab',
      kind: 'gitlab',
      url: 'https://gitlab.example',
      apiUrl: 'https://gitlab.example/api/v4',
      tokens: ['glpat-a'],
      webhookSecret: undefined,
      app: undefined,
      oauth: undefined,
      source: 'environment',
    });
    assert.deepEqual([work?.kind, work?.apiUrl], ['gitlab', 'https://git.example/gitlab/api/v4']);
    assert.equal(
      refusal({ GITLAB_TOKEN: 'marker' }),
      'GITLAB_TOKEN is set without GITLAB_URL, the address of your GitLab',
    );
    assert.match(refusal({ GITLAB_WEBHOOK_SECRET: 'short' }), /^GITLAB_WEBHOOK_SECRET must be a secret of at least 16/);
  });

  it('reads more instances of Gitea and Forgejo from the file', () => {
    const text = `
- {name: codeberg, kind: forgejo, url: https://codeberg.example, token: abc}
- {name: inside, kind: gitea, url: https://git.example/git, api_url: "http://gitea:3000/git/api/v1"}`;
    const [, codeberg, inside] = readConfig({ PROVIDERS_FILE: 'hosts' }, () => text).providers;
    assert.deepEqual([codeberg?.kind, codeberg?.apiUrl], ['forgejo', 'https://codeberg.example/api/v1']);
    assert.deepEqual([inside?.url, inside?.apiUrl], ['https://git.example/git', 'http://gitea:3000/git/api/v1']);
    const taken = '[{name: gitea, kind: gitea, url: https://git.example}]';
    assert.equal(readConfig({ PROVIDERS_FILE: 'hosts' }, () => taken).providers.length, 2);
    const both = { PROVIDERS_FILE: 'hosts', GITEA_URL: 'https://git.example' };
    assert.match(
      refusal(both, () => taken),
      /the name gitea is taken/,
    );
    const withApp = '[{name: work, kind: gitea, url: https://git.example, app_id: 1, app_private_key: x}]';
    assert.match(
      refusal({ PROVIDERS_FILE: 'hosts' }, () => withApp),
      /only a host of the kind github has apps/,
    );
  });
});

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const pem = rsa.export({ type: 'pkcs1', format: 'pem' }).toString();
