#!/usr/bin/env node
// Plain JavaScript that old versions of Node can read: they start the packaged Node, or print one clear line.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The first release in which a process can trust further certificate authorities (`tls.setDefaultCACertificates`). */
const needed = { major: 24, minor: 5 };
/** The variable of a process that ends with the one that started it. */
const endsWithStarter = 'PLAUDIT_ENDS_WITH_STARTER';
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > needed.major || (major === needed.major && minor >= needed.minor)) {
  if (import.meta.url.includes('/node_modules/')) {
    await import('./strip-types.js');
    // Processes that this one forks need it as well.
    process.execArgv.push('--import', new URL('strip-types.js', import.meta.url).href);
  }
  const { exitAtOnce } = await import('../src/model/exit.ts');
  if (process.env[endsWithStarter] !== undefined) endWithStarter(() => exitAtOnce(1));
  const { main } = await import('../src/main.ts');
  process.exitCode = await main(process.argv.slice(2));
} else {
  startPackagedNode();
}

function startPackagedNode() {
  const node = findPackagedNode();
  if (node === undefined) {
    process.stderr.write(
      `plaudit: Node ${needed.major}.${needed.minor} or later is needed, this is ${process.versions.node}. Install one, or run "npm ci" with optional packages\n`,
    );
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, process.argv.slice(1), {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [endsWithStarter]: '1' },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    process.stderr.write(`plaudit: ${node} cannot be run: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}

/** Ends this process when the one that started it was killed, and could forward no signal. Its workers and its database follow. */
function endWithStarter(end) {
  delete process.env[endsWithStarter];
  process.once('disconnect', end);
  // The channel alone keeps no command running.
  process.channel?.unref();
}

/** Returns the path of the Node for this machine that is one of the optional packages, if it is installed. */
function findPackagedNode() {
  const platform = `${process.platform}-${process.arch}`;
  for (const name of [`node-${platform}`, `node-bin-${platform}`]) {
    try {
      return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'bin', 'node');
    } catch {
      // This platform's package has the other name, or is not installed.
    }
  }
  return undefined;
}
