import { spawn } from 'node:child_process';
import { devNull } from 'node:os';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

/** An environment in which git behaves the same on every machine. */
export const gitEnvironment: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  HOME: devNull,
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: devNull,
  GIT_TERMINAL_PROMPT: '0',
};

/**
 * Runs git to its end and returns its output.
 * @throws {Error} with the text of stderr when git fails.
 */
export async function runGit(
  directory: string,
  parameters: readonly string[],
  input: Iterable<string | Buffer> = [],
): Promise<Buffer> {
  const child = spawn('git', parameters, { cwd: directory, env: gitEnvironment, stdio: 'pipe' });
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // A git that ends before it has read all input reports the reason on stderr.
  const written = pipeline(Readable.from(input, { objectMode: false }), child.stdin).catch(() => undefined);
  const [code, output, complaint] = await Promise.all([exit, buffer(child.stdout), text(child.stderr), written]);
  if (code !== 0) throw new Error(`git ${parameters[0]} failed: ${complaint}`);
  return output;
}
