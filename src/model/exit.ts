import { existsSync } from 'node:fs';

const shell = '/bin/sh';

/**
 * Ends this process at once. Node's own exit waits for lookups of names under way, and a name service that hangs holds them for up to
 * minutes: libuv joins its threads (`uv_library_shutdown`), and getaddrinfo cannot be interrupted. A program that takes the place of
 * this one waits for no thread, and has the same id and exit status for the one that started it.
 */
export function exitAtOnce(status: number): never {
  if (existsSync(shell) && process.execve !== undefined) {
    // As before an exit of Node, the log is written and started processes are ended.
    process.emit('exit', status);
    process.execve(shell, ['sh', '-c', `exit ${status}`], {});
  }
  process.exit(status);
}
