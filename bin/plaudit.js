#!/usr/bin/env node
// Plain JavaScript that any Node can read, so that an old one gets a clear word instead of a syntax error.
const [major] = process.versions.node.split('.').map(Number);
if (major < 24) {
  process.stderr.write(
    `plaudit needs Node 24 or later, this is ${process.versions.node}. "npm ci" installs one that "npm start" uses.\n`,
  );
  process.exit(1);
}
const { main } = await import('../src/main.ts');
process.exitCode = await main(process.argv.slice(2));
