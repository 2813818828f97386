import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { type StoredCounter, storedCounters } from '../../model/kinds.ts';
import { countingFunction } from './count-changes.ts';
import { lockingFunctions } from './locks.ts';
import { maxAnnouncedFunction } from './max-announced.ts';
import { summingFunctions } from './owner-sums.ts';

/** A function or trigger of the database, as `schema/` defines it. */
export interface Definition {
  /** The words that name it in DROP: `function lock_totals(repository uuid)` or `trigger awards_deleted on awards`. */
  object: string;
  /** Statements that create or replace it. */
  statement: string;
  hash: string;
}

const schemaFolder = new URL('./', import.meta.url);
const begin = /^(?=create )/m;
const header =
  /^create (?:or replace (?<function>function [a-z_]+\([^()]*\))\s+returns |(?:or replace|constraint) trigger (?<trigger>[a-z_]+) (?:before|after) [a-z_, ]+? on (?<table>[a-z_]+)\s)/;

/** Reads the functions and triggers of this release: those in files, and those that follow from the list of counters. */
export function readDefinitions(counters: readonly StoredCounter[] = storedCounters): Definition[] {
  const files = readdirSync(schemaFolder).filter((name) => name.endsWith('.sql'));
  const texts = files.toSorted().map((name) => readFileSync(new URL(name, schemaFolder), 'utf8'));
  return parseDefinitions(
    [maxAnnouncedFunction(), lockingFunctions(), countingFunction(counters), summingFunctions(counters), ...texts].join(
      '\n',
    ),
  );
}

/**
 * Splits statements, which begin at the start of a line with `create or replace`, or `create constraint trigger`,
 * which PostgreSQL cannot replace.
 * @returns functions first, then the triggers that execute them.
 * @throws Error when a statement defines something else, or something twice.
 */
export function parseDefinitions(text: string): Definition[] {
  const statements = text
    .replaceAll(/^--.*$/gm, '')
    .split(begin)
    .filter((statement) => statement.trim() !== '');
  const definitions = statements.map((statement) => {
    const { function: name, trigger, table } = header.exec(statement)?.groups ?? {};
    const object = name ?? (trigger && table && `trigger ${trigger} on ${table}`);
    if (!object) throw new Error(`Neither a function nor a trigger: ${statement.split('\n', 1)[0]}`);
    const trimmed = statement.trim();
    const hash = createHash('sha256').update(trimmed).digest('hex');
    const isReplacing = trimmed.startsWith('create or replace ');
    return { object, statement: isReplacing ? trimmed : `${toDropStatement(object)};\n${trimmed}`, hash };
  });
  const names = definitions.map(({ object }) => object.split('(', 1)[0]);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new Error(`Defined twice: ${twice}`);
  return [...definitions.filter(isFunction), ...definitions.filter((definition) => !isFunction(definition))];
}

/** Returns the statement that removes an object, if there is one. */
export function toDropStatement(object: string): string {
  return `drop ${object.replace(' ', ' if exists ')}`;
}

export function isFunction({ object }: Pick<Definition, 'object'>): boolean {
  return object.startsWith('function ');
}
