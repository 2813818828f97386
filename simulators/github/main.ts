import { parseArgs } from 'node:util';
import { type Size, sizeNames } from '../world/generate.ts';
import { startSimulator } from './simulator.ts';

const usage = `npm run -s simulator -- [--size SIZE] [--seed NUMBER] [--port NUMBER]

Runs a simulated GitHub for manual trials of the service until it is interrupted. Prints one line of JSON: the addresses for
GITHUB_URL and GITHUB_API_URL, and the accounts and tokens that exist there.

  --size   ${sizeNames.join(', ')}; default: medium
  --seed   another number makes another world; default: 1
  --port   default: a free one
`;

interface Options {
  size: Size;
  seed: number;
  port: number;
}

/** Returns the options; undefined where the help is wanted. @throws Error for an option that is wrong. */
function readOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      size: { type: 'string', default: 'medium' },
      seed: { type: 'string', default: '1' },
      port: { type: 'string', default: '0' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  const size = sizeNames.find((name) => name === values.size);
  if (size === undefined) throw new Error(`--size is one of ${sizeNames.join(', ')}`);
  return { size, seed: Number(values.seed), port: Number(values.port) };
}

async function run(options: Options): Promise<void> {
  const simulator = await startSimulator(options);
  const { url, apiUrl, accounts, tokens } = simulator;
  process.stdout.write(`${JSON.stringify({ url, api_url: apiUrl, accounts, tokens })}\n`);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => void simulator.close());
  }
}

try {
  const options = readOptions();
  if (options === undefined) process.stdout.write(usage);
  else await run(options);
} catch (error) {
  process.stderr.write(`simulator: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
