import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isMap, parseDocument } from 'yaml';
import manifest from '../package.json' with { type: 'json' };

/**
 * Writes the files of a release, as RELEASING.md says:
 * - `check TAG` compares the tag with the version, and both with CHANGELOG.md;
 * - `write FOLDER` makes the package, a list of its packages (CycloneDX), the files that start the image, and the notes;
 * - `pin FOLDER IMAGE@DIGEST` names the image in these files.
 */

const { version } = manifest;
const usage = 'node scripts/release-files.ts check TAG | write FOLDER | pin FOLDER IMAGE@sha256:DIGEST\n';
const [command = '', first = '', second = ''] = process.argv.slice(2);

if (command === 'check' && first !== '') check(first);
else if (command === 'write' && first !== '') write(first);
else if (command === 'pin' && /^[^@\s]+@sha256:[0-9a-f]{64}$/.test(second)) pin(first, second);
else {
  process.stderr.write(usage);
  process.exitCode = 2;
}

function check(tag: string): void {
  if (tag !== `v${version}`) throw new Error(`the tag is ${tag}, and package.json has the version ${version}`);
  readNotes();
}

/** Returns the section of the version in CHANGELOG.md; a release candidate has that of its release. */
function readNotes(): string {
  const heading = `## ${version.replace(/-.*/, '')}`;
  const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^(?=## )/m);
  const section = sections.find((text) => new RegExp(`^${heading.replaceAll('.', '\\.')}\\b`).test(text));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "${heading}"`);
  return section;
}

function write(folder: string): void {
  mkdirSync(folder, { recursive: true });
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  const described = join(folder, `plaudit-${version}.cdx.json`);
  // `npm sbom` leaves out packages that tools need as well, such as yaml.
  const lister = ['--package=@cyclonedx/cyclonedx-npm@6.0.1', '--', 'cyclonedx-npm', '--package-lock-only'];
  execFileSync('npm', ['exec', '--yes', ...lister, '--omit=dev', `--output-file=${described}`], { stdio: 'inherit' });
  writeFileSync(join(folder, 'NOTES.md'), readNotes());
  const deploy = join(folder, 'deploy');
  cpSync('deploy', deploy, { recursive: true });
  writeArchive(folder);
}

function pin(folder: string, image: string): void {
  const [newName = '', digest = ''] = image.split('@');
  const archive = join(folder, `plaudit-${version}-deploy.tar.gz`);
  execFileSync('tar', ['-xzf', archive, '-C', folder]);
  for (const file of ['compose.yaml', 'small.yaml']) {
    change(join(folder, 'deploy/compose', file), (document) => {
      document.setIn(['services', 'plaudit', 'image'], image);
      document.deleteIn(['services', 'plaudit', 'build']);
    });
  }
  change(join(folder, 'deploy/kubernetes/kustomization.yaml'), (document) =>
    document.set('images', [{ name: 'plaudit', newName, digest }]),
  );
  writeArchive(folder);
}

function change(file: string, edit: (document: ReturnType<typeof parseDocument>) => void): void {
  const document = parseDocument(readFileSync(file, 'utf8'));
  if (!isMap(document.contents)) throw new Error(`${file} is no mapping`);
  edit(document);
  writeFileSync(file, document.toString({ lineWidth: 0 }));
}

/** Packs the files that start the image, and writes the checksums of all files. */
function writeArchive(folder: string): void {
  const archive = `plaudit-${version}-deploy.tar.gz`;
  execFileSync('tar', ['-czf', join(folder, archive), '-C', folder, 'deploy']);
  cpSync(join(folder, 'deploy/compose/small.yaml'), join(folder, 'compose.yaml'));
  rmSync(join(folder, 'deploy'), { recursive: true });
  const sums = readdirSync(folder)
    .filter((file) => file !== 'SHA256SUMS')
    .toSorted()
    .map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, file)))
          .digest('hex')}  ${basename(file)}\n`,
    );
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
}
