import { fileURLToPath } from 'node:url';

/** The path of the command line. */
export const program = fileURLToPath(new URL('../bin/plaudit.js', import.meta.url));

/** Returns what the command line needs of the environment of the tests, which find it, compile it once and watch it; one process suffices. */
export function programEnvironment(): Record<'PATH' | 'NODE_COMPILE_CACHE' | 'NODE_OPTIONS' | 'WORKERS', string> {
  const { PATH = '', NODE_COMPILE_CACHE = '', NODE_OPTIONS = '' } = process.env;
  return { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS, WORKERS: '1' };
}
