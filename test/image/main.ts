import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startSimulator } from '../../simulators/github/simulator.ts';
import { findPort } from '../find-port.ts';
import { buildImage, Container, findMissingTools, measureImage, readUser } from './builder.ts';

const image = process.argv[2] ?? 'localhost/plaudit:tested';
const largestBytes = 250_000_000;
const user = { uid: 1000, gid: 1000 };
const startWithinMs = 180_000;

/**
 * Builds the image, starts it with an empty volume, reads a card of a simulated host, stops it, and starts it again with the same
 * volume. Checks its size and its user, and that it writes to its volume alone.
 */
async function testImage(): Promise<void> {
  const missing = findMissingTools();
  if (missing.length > 0 || process.getuid?.() !== 0) {
    console.log(
      `the image is not tested: ${missing.length > 0 ? `${missing.join()} not installed` : 'only root can build it here'}`,
    );
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'plaudit-image-'));
  try {
    // The name of an image that exists already leaves out the build.
    if (process.argv.length === 2) buildImage(image);
    const bytes = measureImage(image, join(folder, 'oci'));
    console.log(`${Math.round(bytes / 1e6)} MB compressed`);
    assert.ok(bytes <= largestBytes, `${bytes} bytes are more than ${largestBytes}`);
    assert.equal(readUser(image), `${user.uid}:${user.gid}`);
    await useImage(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function useImage(folder: string): Promise<void> {
  await using simulator = await startSimulator();
  using container = new Container(image);
  const volume = join(folder, 'volume');
  mkdirSync(volume);
  chownSync(volume, user.uid, user.gid);
  const marker = join(folder, 'marker');
  writeFileSync(marker, '');
  const port = String(await findPort());
  const host = { GITHUB_URL: simulator.url, GITHUB_API_URL: simulator.apiUrl, GITHUB_TOKEN: simulator.tokens.user };
  const settings = { ...host, PORT: port, METRICS_PORT: '0', WORKERS: '1' };
  for (const start of ['first start', 'second start with the same volume']) {
    const begun = performance.now();
    const { child, ended } = container.run(volume, settings, 'serve');
    try {
      await readUntil(`http://127.0.0.1:${port}/readyz`, ({ status }) => status === 200);
      const readyMs = performance.now() - begun;
      const address = `http://127.0.0.1:${port}/v1/github/entities/ada-lovelace/contributions?format=svg`;
      const card = await readUntil(address, ({ status, text }) => status === 200 && text.includes('Commits'));
      assert.match(card.text, /^<svg /);
      console.log(`${start}: ready after ${Math.round(readyMs)} ms`);
    } finally {
      // buildah passes no signal on.
      execFileSync('pkill', ['-TERM', '-f', '^node /app/bin/plaudit.js']);
    }
    assert.deepEqual(await ended, [0, null]);
    assert.equal(child.exitCode, 0);
  }
  const written = execFileSync('find', [container.root, '-xdev', '-newer', marker, '-not', '-type', 'd'], {
    encoding: 'utf8',
  });
  const expected = /\/(tmp|run|dev|proc|sys|etc\/(hosts|resolv\.conf|hostname))(\/|$)/;
  assert.deepEqual(
    written.split('\n').filter((path) => path !== '' && !expected.test(path.slice(container.root.length))),
    [],
  );
}

/** Requests an address until its response is as wanted. @throws AssertionError after three minutes. */
async function readUntil(
  address: string,
  isWanted: (response: { status: number; text: string }) => boolean,
): Promise<{ status: number; text: string }> {
  const begun = performance.now();
  for (let last = 'none'; ; ) {
    try {
      const response = await fetch(address, { headers: { accept: 'image/svg+xml,*/*' } });
      const read = { status: response.status, text: await response.text() };
      if (isWanted(read)) return read;
      last = `${read.status} ${read.text.slice(0, 300)}`;
    } catch (error) {
      last = String(error);
    }
    assert.ok(performance.now() - begun < startWithinMs, `${address}: ${last}`);
    await wait(250);
  }
}

await testImage();
