import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const top = fileURLToPath(new URL('../../', import.meta.url));
/** The image that the Dockerfile begins with. */
const baseName = 'docker.io/library/node:24-trixie-slim';
const certificates = '/etc/ssl/certs/ca-certificates.crt';
/** No engine runs on machines without control groups of their own; this isolation needs none. */
const isolation = ['--isolation', 'chroot', '--network', 'host'];

/** Returns the tools that are missing here to build and run an image; Debian has packages of the same names. */
export function findMissingTools(): string[] {
  const folders = `${process.env['PATH']}:/usr/sbin`.split(':');
  return ['buildah', 'debootstrap'].filter((tool) => !folders.some((folder) => existsSync(join(folder, tool))));
}

/** Runs a tool and returns its output. @throws Error with its errors. */
export function runTool(tool: string, ...args: string[]): string {
  return execFileSync(tool, args, {
    encoding: 'utf8',
    cwd: top,
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
}

/**
 * Builds the image of the Dockerfile from packages of npm and Debian alone: where the registry of images cannot be used, its
 * base is made from Debian's packages and the Node that runs this.
 */
export function buildImage(name: string): void {
  if (!runTool('buildah', 'images', '--format', '{{.Name}}:{{.Tag}}').includes(baseName)) makeBase();
  runTool('buildah', 'bud', ...isolation, '--format', 'docker', '--pull-never', '--quiet', '--tag', name, '.');
}

function makeBase(): void {
  const container = runTool('buildah', 'from', 'scratch');
  const root = runTool('buildah', 'mount', container);
  try {
    runTool('debootstrap', '--variant=minbase', '--include=ca-certificates', 'trixie', root);
    // Debian's slim variant lacks these as well.
    for (const folder of [
      'var/cache/apt/archives',
      'var/lib/apt/lists',
      'usr/share/doc',
      'usr/share/locale',
      'usr/share/man',
    ])
      rmSync(join(root, folder), { recursive: true });
    const local = join(root, 'usr/local');
    cpSync(process.execPath, join(local, 'bin/node'));
    const npm = dirname(
      dirname(runTool('sh', '-c', 'PATH=/usr/local/bin:/usr/bin:$PATH; readlink -f "$(command -v npm)"')),
    );
    cpSync(npm, join(local, 'lib/node_modules/npm'), { recursive: true });
    runTool('ln', '-s', '../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
    // The certificates of a proxy between this machine and the registries.
    if (existsSync(certificates)) cpSync(certificates, join(root, certificates));
    runTool('chroot', root, 'useradd', '--create-home', '--uid', '1000', 'node');
    runTool('buildah', 'umount', container);
    runTool(
      'buildah',
      'config',
      '--env',
      `NODE_EXTRA_CA_CERTS=${certificates}`,
      '--env',
      `npm_config_cafile=${certificates}`,
      container,
    );
    runTool('buildah', 'commit', '--quiet', container, baseName);
  } finally {
    runTool('buildah', 'rm', container);
  }
}

/** Returns the bytes of an image as a registry stores them. */
export function measureImage(name: string, folder: string): number {
  runTool('buildah', 'push', '--quiet', name, `oci:${folder}:measured`);
  const blobs = join(folder, 'blobs/sha256');
  return readdirSync(blobs).reduce((bytes, file) => bytes + statSync(join(blobs, file)).size, 0);
}

/** A container of an image, whose root file system is kept between its runs. */
export class Container implements Disposable {
  readonly #name: string;
  readonly root: string;

  constructor(image: string) {
    this.#name = runTool('buildah', 'from', '--pull-never', image);
    this.root = runTool('buildah', 'mount', this.#name);
  }

  /** Runs the program of the image as its user, until it ends; it listens on the ports of this machine. */
  run(volume: string, environment: Record<string, string>, ...args: string[]) {
    mkdirSync(volume, { recursive: true });
    const settings = Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const mount = ['--volume', `${volume}:/var/lib/plaudit`];
    const { OCIv1 } = JSON.parse(runTool('buildah', 'inspect', this.#name)) as {
      OCIv1: { config: { Entrypoint: string[] } };
    };
    const command = [...OCIv1.config.Entrypoint, ...args];
    const child = spawn('buildah', ['run', ...isolation, ...mount, ...settings, this.#name, '--', ...command], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return { child, ended: once(child, 'exit') };
  }

  [Symbol.dispose](): void {
    runTool('buildah', 'rm', this.#name);
  }
}

/** Returns the user of an image, as `uid:gid`. */
export function readUser(image: string): string {
  const { OCIv1 } = JSON.parse(runTool('buildah', 'inspect', '--type', 'image', image)) as {
    OCIv1: { config: { User: string } };
  };
  return OCIv1.config.User;
}
