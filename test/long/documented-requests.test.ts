import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { bearer, engines, keeper } from '../integration/access/owner.ts';
import { shareStoredService } from '../service/http/stored-service.ts';

const run = promisify(execFile);
const { PATH = '' } = process.env;

/** Returns the lines of the indented code blocks of a document. */
function toCode(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => (/^ {4,}\S/.test(line) ? [line.trim()] : []));
}

/** Returns the commands of a document that send requests to the service, and those that make keys for them. */
function listRequests(file: string): string {
  const commands = toCode(file).join('\n').replaceAll(/\\\n/g, ' ').replaceAll(/\|\n/g, '| ').split('\n');
  return commands.filter((line) => /curl|openssl/.test(line) && !line.includes('api.vaunt.dev')).join('\n');
}

/** The owner's own token of the host, and the private data that it opens. */
const names = { NAME: keeper.name, REPOSITORY: 'diary' };

/** Replaces the names that a reader replaces. */
function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\b(?:NAME|REPOSITORY|LOGIN)\b/g, (name) => values[name] ?? name);
}

describe('requests in the documents', () => {
  const shared = shareStoredService();

  it('succeed as they are written, with curl, jq and openssl', async () => {
    const { service, simulator } = shared;
    await using directory = await makeTemporaryDirectory();
    const script = ['docs/moving.md', 'docs/private-data.md', 'docs/start.md'].map(listRequests);
    assert.ok((script.join('\n').match(/\bcurl\b/g) ?? []).length >= 8, script.join('\n'));
    // The reader copies the token from the first response.
    const [moving = '', ...others] = script;
    const commands = fill([moving, 'SERVICE_TOKEN=$TOKEN', ...others].join('\n'), names);
    const { stdout } = await run(
      'bash',
      [
        '-euo',
        'pipefail',
        '-c',
        `curl() { command curl --fail-with-body --silent --show-error "$@"; }\n${commands.replaceAll('http://127.0.0.1:8080', '$URL')}`,
      ],
      {
        cwd: directory.path,
        env: {
          PATH,
          URL: service.url,
          GITHUB_TOKEN: simulator.tokens[keeper.token],
          GITHUB_TOKEN_OF_MINE: simulator.tokens[keeper.token],
        },
      },
    );
    assert.match(stdout, /"publish_private_contributions":true/);
    assert.match(stdout, /"includes_private":true/);
    assert.match(stdout, /"data":\{"id":"[0-9a-f]{64}"/, 'the registered key');
  });

  it('have the addresses of windows and evidence that the service serves', async () => {
    const { service, simulator } = shared;
    const addresses = toCode('docs/windows.md').flatMap((line) => /^GET (\S+)$/.exec(line)?.[1] ?? []);
    assert.equal(addresses.length, 7);
    const { body } = await service.get(`${engines.name}/contributors?limit=1`);
    const values = { NAME: engines.name, REPOSITORY: 'engine-1', LOGIN: String(body.data[0]?.['name']) };
    const issued = await service.get(`${engines.name}/token`, bearer(simulator.tokens[engines.token]));
    const { token = '' }: { token?: string } = Object(issued.body.data);
    for (const address of addresses.map((one) => fill(one, values))) {
      const { status, text } = await service.get(address, bearer(token));
      assert.equal(status, 200, `${address}: ${text}`);
    }
  });
});
