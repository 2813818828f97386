import { X509Certificate } from 'node:crypto';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { misconfigured } from '../../hosts/config/setting.ts';
import { type Environment, type ReadFile, readSettingFile, readText } from './environment.ts';

const certificates = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Makes all connections of this process trust the certificate authorities of the system and those of CA_FILE, in addition
 * to those that come with Node and those of NODE_EXTRA_CA_CERTS.
 * @throws AppError `misconfigured` when CA_FILE cannot be read, or has no certificate or an unreadable one.
 */
export function trustAuthorities(environment: Environment, readFile: ReadFile = readText): void {
  const path = environment['CA_FILE'];
  const own = path ? readCertificates(path, readFile) : [];
  setDefaultCACertificates([...getCACertificates('default'), ...getCACertificates('system'), ...own]);
}

/**
 * Returns the text of a file with all trusted authorities for git, which reads neither CA_FILE nor NODE_EXTRA_CA_CERTS;
 * undefined: neither is set, and git knows the authorities of the system by itself.
 */
export function formatAuthorities(environment: Environment, readFile: ReadFile = readText): string | undefined {
  if (!environment['CA_FILE'] && !environment['NODE_EXTRA_CA_CERTS']) return undefined;
  const path = environment['GIT_SSL_CAINFO'];
  const ofGit = path ? readSettingFile('GIT_SSL_CAINFO', path, readFile) : '';
  return `${getCACertificates('default').join('\n')}\n${ofGit}\n`;
}

function readCertificates(path: string, readFile: ReadFile): string[] {
  const found = readAuthorities(path, readFile).match(certificates) ?? [];
  if (found.length === 0) throw misconfigured(`CA_FILE: ${path} has no certificate (PEM)`);
  return found.map((certificate, index) => {
    try {
      return new X509Certificate(certificate).toString();
    } catch (cause) {
      throw misconfigured(`CA_FILE: certificate ${index + 1} of ${path} can't be read`, cause);
    }
  });
}

function readAuthorities(path: string, readFile: ReadFile): string {
  try {
    return readFile(path);
  } catch (cause) {
    throw misconfigured(`CA_FILE: ${path} can't be read`, cause);
  }
}
