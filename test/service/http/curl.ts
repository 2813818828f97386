import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';

const run = promisify(execFile);

export interface CurlOptions {
  headers: readonly string[];
  /** True for `--compressed`. */
  isCompressed: boolean;
  /** The file for the body. */
  output: string;
}

const hasCurl = spawnSync('curl', ['--version']).status === 0;

/**
 * Downloads an address as `curl --write-out '%{http_code}' --output FILE` does: with curl where the machine has it, and
 * otherwise with its headers. Redirects are not followed. @returns the status.
 */
export async function curl(address: string, options: CurlOptions): Promise<string> {
  return hasCurl ? runCurl(address, options) : imitateCurl(address, options);
}

async function runCurl(address: string, { headers, isCompressed, output }: CurlOptions): Promise<string> {
  const { stdout } = await run('curl', [
    '--silent',
    ...(isCompressed ? ['--compressed'] : []),
    ...headers.flatMap((header) => ['-H', header]),
    '--write-out',
    '%{http_code}',
    '--output',
    output,
    address,
  ]);
  return stdout;
}

const decoders: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  br: promisify(brotliDecompress),
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  zstd: promisify(zstdDecompress),
};

async function imitateCurl(address: string, { headers, isCompressed, output }: CurlOptions): Promise<string> {
  const sent = request(address, {
    headers: Object.fromEntries([
      ['user-agent', 'curl/8.14.1'],
      ['accept', '*/*'],
      ...(isCompressed ? [['accept-encoding', 'deflate, gzip, br, zstd']] : []),
      ...headers.map((header) => header.split(/:\s*/, 2)),
    ]),
  });
  sent.end();
  const [response]: IncomingMessage[] = await once(sent, 'response');
  if (response === undefined) throw new Error('no response');
  const body = await buffer(response);
  const decode = decoders[response.headers['content-encoding'] ?? ''];
  await writeFile(output, decode === undefined ? body : await decode(body));
  return String(response.statusCode);
}

/** Returns the output of `jq -r .data.token` for a file. */
export async function tokenByJq(file: string): Promise<string> {
  const { data }: { data?: { token?: string } } = JSON.parse(await readFile(file, 'utf8'));
  return data?.token ?? 'null';
}
