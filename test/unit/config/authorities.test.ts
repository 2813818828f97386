import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { getCACertificates, rootCertificates } from 'node:tls';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { formatAuthorities, trustAuthorities } from '../../../src/app/config/authorities.ts';
import { createAuthority } from '../../tls-server.ts';

const readFileAsText = (path: string): string => readFileSync(path, 'utf8');

/** Returns the fingerprints of the certificates that this process trusts. */
function trusted(): Set<string> {
  return new Set(getCACertificates('default').map((pem) => new X509Certificate(pem).fingerprint256));
}

describe('CA_FILE', () => {
  it('adds its certificates to those that are trusted already', async () => {
    await using directory = await makeTemporaryDirectory();
    const { caFile } = await createAuthority(directory.path);
    const before = trusted();
    trustAuthorities({ CA_FILE: caFile }, readFileAsText);
    const after = trusted();
    assert.ok([...before].every((fingerprint) => after.has(fingerprint)));
    assert.ok(after.has(new X509Certificate(readFileAsText(caFile)).fingerprint256));
    assert.ok(rootCertificates.every((pem) => after.has(new X509Certificate(pem).fingerprint256)));
  });

  it('accepts several certificates between comments and keys', async () => {
    await using directory = await makeTemporaryDirectory();
    const { caFile, certFile, keyFile } = await createAuthority(directory.path);
    const text = ['# own', ...[caFile, keyFile, certFile].map(readFileAsText)].join('\r\n');
    trustAuthorities({ CA_FILE: '/ca.pem' }, () => text.replaceAll(/\r?\n/g, '\r\n'));
    assert.ok(trusted().has(new X509Certificate(readFileAsText(caFile)).fingerprint256));
    assert.ok(trusted().has(new X509Certificate(readFileAsText(certFile)).fingerprint256));
  });

  it('is refused by a line that names a file which is missing, or has no readable certificate', async () => {
    await using directory = await makeTemporaryDirectory();
    const { keyFile } = await createAuthority(directory.path);
    const broken = directory.pathOf('broken.pem');
    const empty = directory.pathOf('empty.pem');
    await writeFile(broken, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    await writeFile(empty, '');
    const missing = directory.pathOf('missing.pem');
    for (const [path, expected] of [
      [missing, `CA_FILE: ${missing} can't be read`],
      [directory.path, `CA_FILE: ${directory.path} can't be read`],
      [empty, `CA_FILE: ${empty} has no certificate (PEM)`],
      [keyFile, `CA_FILE: ${keyFile} has no certificate (PEM)`],
      [broken, `CA_FILE: certificate 1 of ${broken} can't be read`],
    ] as const) {
      assert.throws(() => trustAuthorities({ CA_FILE: path }, readFileAsText), { message: expected });
    }
  });
});

describe('the authorities for git', () => {
  it('are those of the service and of git itself, where the system does not know all of them', async () => {
    await using directory = await makeTemporaryDirectory();
    const { caFile, certFile } = await createAuthority(directory.path);
    trustAuthorities({ CA_FILE: caFile }, readFileAsText);
    const text = formatAuthorities({ CA_FILE: caFile, GIT_SSL_CAINFO: certFile }, readFileAsText) ?? assert.fail();
    for (const path of [caFile, certFile]) assert.ok(text.includes(readFileAsText(path).trim()));
    assert.ok(formatAuthorities({ NODE_EXTRA_CA_CERTS: caFile }, readFileAsText) !== undefined);
    assert.equal(formatAuthorities({}, readFileAsText), undefined);
  });
});
