import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dividedNames } from '../../src/database/tables/divided-tables.ts';
import { onStatement } from './on-statement.ts';

/** A statement that the service has sent, and the line of the module that did. */
export interface Captured {
  text: string;
  from: string;
}

const names = new RegExp(`\\b(?:${dividedNames.join('|')})\\b`);
/** Migrations and restores run before tables are divided. */
const ofService = /^src\/(?!database\/(?:migrations|copy)\/)/;
/** The most frames between the driver and the store. */
const frames = 60;

/**
 * Notes the distinct statements about divided tables that modules of the service send in this process, and writes them
 * into a file of the directory at its end. Statements of tests are left out.
 */
export function captureStatements(directory: string): void {
  const captured = new Map<string, string>();
  const seen = new Set<string>();
  onStatement((text) => {
    if (seen.has(text)) return;
    const stack = names.test(text) ? toStack() : '';
    // A statement that waited for a connection has the function on its stack that returned one, not its own sender.
    if (stack.includes('._pulseQueue ')) return;
    seen.add(text);
    const from = senderIn(stack);
    if (from !== undefined) captured.set(text, from);
  });
  process.on('exit', () => {
    mkdirSync(directory, { recursive: true });
    const statements: Captured[] = [...captured].map(([text, from]) => ({ text, from }));
    writeFileSync(join(directory, `${process.pid}.json`), JSON.stringify(statements));
  });
}

/** Returns the stack of the caller with enough frames to find the sender of a statement. */
function toStack(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = frames;
  const stack = new Error('sent').stack ?? '';
  Error.stackTraceLimit = stackTraceLimit;
  return stack;
}

/** Returns the nearest line that is no part of the connection; undefined when a test sends the statement. */
function senderIn(stack: string): string | undefined {
  const lines = [...stack.matchAll(/\/((?:src|test|bench)\/[\w./-]+\.ts:\d+)/g)].map(([, line = '']) => line);
  const sender = lines.find(
    (line) =>
      !/^(?:src\/database\/(?:connections\/(?:pool|storable|transaction)|reads\/(?:loan|request-pool|statement-scope))|test\/statements\/)/.test(
        line,
      ),
  );
  return sender !== undefined && ofService.test(sender) ? sender : undefined;
}
