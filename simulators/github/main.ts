import { parseArgs } from 'node:util';
import { type Size, sizeNames } from '../world/generate.ts';
import { startSimulator } from './simulator.ts';

/** Runs a simulated GitHub for manual trials of the service: `npm run -s simulator -- --size large`. */
const { values } = parseArgs({
  options: {
    size: { type: 'string', default: 'medium' },
    seed: { type: 'string', default: '1' },
    port: { type: 'string', default: '0' },
  },
});
const sizes: readonly string[] = sizeNames;
if (!sizes.includes(values.size)) throw new Error(`--size is one of ${sizes.join(', ')}`);
const simulator = await startSimulator({
  size: values.size as Size,
  seed: Number(values.seed),
  port: Number(values.port),
});
const { url, apiUrl, accounts, tokens } = simulator;
process.stdout.write(`${JSON.stringify({ url, api_url: apiUrl, accounts, tokens })}\n`);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => void simulator.close());
}
