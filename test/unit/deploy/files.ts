import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

export const yamlFiles = {
  compose: 'deploy/compose/compose.yaml',
  kubernetes: 'deploy/kubernetes/plaudit.yaml',
  secret: 'deploy/kubernetes/secret.example.yaml',
  prometheus: 'deploy/monitoring/prometheus.yml',
  alerts: 'deploy/monitoring/alerts.yaml',
};

export const read = (path: string): string => readFileSync(path, 'utf8');

/** Reads the documents of a YAML file, which must have no error and no warning. */
export function readYaml(path: string): unknown[] {
  return parseAllDocuments(read(path)).map((document) => {
    if (!('errors' in document)) throw new Error(`${path} is empty`);
    assert.deepEqual([...document.errors, ...document.warnings], [], path);
    return document.toJS();
  });
}

/** Returns the lines of a file with NAME=value pairs. */
export function readPairs(path: string): Record<string, string> {
  return Object.fromEntries(
    read(path)
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/** Returns the values at a path through objects and lists; `*` stands for all of their members. */
export function at(value: unknown, ...path: readonly string[]): unknown[] {
  const [key, ...rest] = path;
  if (key === undefined) return value === undefined ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  const members: Record<string, unknown> = { ...value };
  return key === '*' ? Object.values(members).flatMap((member) => at(member, ...rest)) : at(members[key], ...rest);
}

/** Returns all instructions of the Dockerfile, with their continued lines. */
export function dockerfile(): { name: string; text: string }[] {
  return read('Dockerfile')
    .replace(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', text = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
      return { name, text: text.replace(/\s+/g, ' ') };
    });
}
