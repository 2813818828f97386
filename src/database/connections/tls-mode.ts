import { readFileSync } from 'node:fs';
import type { ClientConfig } from 'pg';
import { AppError } from '../../model/errors.ts';

/** The modes of libpq, weakest first (https://www.postgresql.org/docs/current/libpq-ssl.html), and that of the driver. */
const modes = ['disable', 'allow', 'prefer', 'no-verify', 'require', 'verify-ca', 'verify-full'] as const;
type Mode = (typeof modes)[number];

/** The parameters of an address that `toTlsConfig` reads in place of the driver, which warns of all but `verify-full`. */
const read = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'uselibpqcompat'] as const;

/**
 * Returns the settings for an address, whose `sslmode` has the meaning that libpq gives it. Without `sslrootcert`, the modes that
 * verify accept certificates of the system's authorities and of CA_FILE.
 * @param name the setting with the address, for errors.
 * @throws AppError `misconfigured` for an unknown mode, or a file that cannot be read.
 */
export function toTlsConfig(name: string, address: string): ClientConfig {
  const url = new URL(address);
  const { searchParams } = url;
  if (!read.some((parameter) => searchParams.has(parameter))) return { connectionString: address };
  const rootCertificate = searchParams.get('sslrootcert') ?? undefined;
  // libpq demands verify-full of `system`, and verifies the issuer as soon as there is a root certificate.
  const usual = rootCertificate === 'system' ? 'verify-full' : rootCertificate === undefined ? 'prefer' : 'verify-ca';
  const text = searchParams.get('sslmode') ?? usual;
  const mode = modes.find((known) => known === text);
  if (mode === undefined) throw new AppError('misconfigured', `${name}: sslmode must be one of ${modes.join(', ')}`);
  const file = (parameter: string): string | undefined => readFile(name, parameter, searchParams.get(parameter));
  const ca = rootCertificate === 'system' ? undefined : file('sslrootcert');
  const [cert, key] = [file('sslcert'), file('sslkey')];
  for (const parameter of read) searchParams.delete(parameter);
  const isPlain = mode === 'disable' || mode === 'allow';
  const certificates = { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key && { key }) };
  return {
    connectionString: url.href,
    ssl: isPlain ? false : { ...certificates, ...toVerification(mode, rootCertificate !== undefined) },
  };
}

function toVerification(mode: Mode, hasRoot: boolean): Exclude<ClientConfig['ssl'], boolean | undefined> {
  if (mode === 'verify-full') return {};
  const verifiesIssuer = mode === 'verify-ca' || (mode === 'require' && hasRoot);
  return verifiesIssuer ? { checkServerIdentity: () => undefined } : { rejectUnauthorized: false };
}

/** Returns whether connections of these settings are encrypted without a check of the server's certificate. */
export function isUnverified({ ssl }: ClientConfig): boolean {
  return typeof ssl === 'object' && ssl.rejectUnauthorized === false;
}

function readFile(name: string, parameter: string, path: string | null): string | undefined {
  if (path === null || path === '') return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new AppError('misconfigured', `${name}: ${parameter} names a file that can't be read`, { cause });
  }
}
