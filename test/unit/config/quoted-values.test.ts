import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../../../src/app/config/config.ts';
import { findQuoted } from '../../../src/app/config/environment.ts';
import { settings } from '../../../src/app/config/settings.ts';

const noFiles = (path: string): string => assert.fail(path);

describe('values in an environment', () => {
  it('are read without quotation marks and white space around them', () => {
    for (const [before, after] of [
      ['"', '"'],
      ["'", "'"],
      ['', '\r'],
      [' "', '" \r\n'],
      ['"', ' "'],
      ['\u00a0', '\ufeff'],
    ] as const) {
      const around = (text: string): string => `${before}${text}${after}`;
      const environment = {
        GITHUB_TOKEN: around('ghp_a'),
        DATABASE_URL: around('postgres://db.example/plaudit'),
        PUBLIC_URL: around('https://plaudit.example'),
        PORT: around('81'),
      };
      const { providers, databaseUrl, publicUrl, port } = readConfig(environment, noFiles);
      assert.deepEqual(providers[0]?.tokens, ['ghp_a']);
      assert.deepEqual(
        [databaseUrl, publicUrl, port],
        ['postgres://db.example/plaudit', 'https://plaudit.example', 81],
      );
      const fromFile = { GITHUB_TOKEN_FILE: around('/run/token') };
      const read = readConfig(fromFile, (path) => (path === '/run/token' ? around('ghp_b') : assert.fail(path)));
      assert.deepEqual(read.providers[0]?.tokens, ['ghp_b']);
    }
    assert.deepEqual(readConfig({ GITHUB_TOKEN: '""' }, noFiles).providers[0]?.tokens, []);
  });

  it('are named when they have quotation marks, which the start reports', () => {
    const environment = { GITHUB_TOKEN: '"ghp_a"', GITEA_TOKEN_FILE: "'/run/a'", PORT: '81', PATH: '"/bin"' };
    assert.deepEqual(findQuoted(settings, environment), ['GITHUB_TOKEN', 'GITEA_TOKEN_FILE']);
  });

  it('keep quotation marks that do not enclose them', () => {
    const { siteName } = readConfig({ SITE_NAME: `The "A" team's` }, noFiles);
    assert.equal(siteName, `The "A" team's`);
  });

  it('are refused with the code of a character that the operator does not see', () => {
    for (const [value, name] of [
      ['https://git\u00a0.example', 'U+00A0, a no-break space'],
      ['https:\u200b//git.example', 'U+200B, a zero-width space'],
      ['\u201chttps://git.example\u201d', 'U+201C'],
    ] as const) {
      const message = new RegExp(`GITEA_URL must be .*; it contains ${name.replace('+', '\\+')}$`);
      assert.throws(() => readConfig({ GITEA_URL: value }, noFiles), message);
    }
    const file = "- name: work\n  kind: gitea\n\u00a0\u00a0url: 'https://git.example'\n";
    const message = /^AppError: PROVIDERS_FILE.*; line 3 has U\+00A0, a no-break space$/;
    assert.throws(() => readConfig({ PROVIDERS_FILE: 'hosts' }, () => file), message);
  });
});
