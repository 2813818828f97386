#!/usr/bin/env node
// Plain JavaScript that old versions of Node can read: in a clone they start the Node of its packages, else they print one line.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The first release in which a process can trust further certificate authorities (`tls.setDefaultCACertificates`). */
const needed = { major: 24, minor: 5 };
/** The variable of a process that ends with the one that started it. */
const endsWithStarter = 'PLAUDIT_ENDS_WITH_STARTER';
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > needed.major || (major === needed.major && minor >= needed.minor)) {
  const { code, compiled } = findProgram();
  // Processes that this one forks read the same variable.
  process.env.NODE_COMPILE_CACHE ||= compiled;
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  const { exitAtOnce } = await import(code('model/exit'));
  if (process.env[endsWithStarter] !== undefined) endWithStarter(() => exitAtOnce(1));
  const { main } = await import(code('main'));
  process.exitCode = await main(process.argv.slice(2));
} else {
  startPackagedNode();
}

/**
 * Finds the program: JavaScript in the package, TypeScript in a clone. Node keeps its compiled form beside the packages, because
 * compiling takes half of a start; where it may not write there, it compiles each time.
 */
function findProgram() {
  const isClone = existsSync(url('src'));
  const compiled = fileURLToPath(url(isClone ? 'node_modules/.cache/compiled' : '../.cache/plaudit'));
  return { code: (name) => url(isClone ? `src/${name}.ts` : `dist/${name}.js`).href, compiled };
}

function url(path) {
  return new URL(`../${path}`, import.meta.url);
}

function startPackagedNode() {
  const node = findPackagedNode();
  if (node === undefined) {
    process.stderr.write(
      `plaudit: Node ${needed.major}.${needed.minor} or later is needed, this is ${process.versions.node}: https://nodejs.org/en/download\n`,
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

/** Returns the path of the Node for this machine that a clone installs with its tools, if it is installed. */
function findPackagedNode() {
  const platform = `${process.platform}-${process.arch}`;
  for (const name of [`node-${platform}`, `node-bin-${platform}`]) {
    try {
      return join(dirname(module.createRequire(import.meta.url).resolve(`${name}/package.json`)), 'bin', 'node');
    } catch {
      // This platform's package has the other name, or is not installed.
    }
  }
  return undefined;
}
