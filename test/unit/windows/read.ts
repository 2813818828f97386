import assert from 'node:assert/strict';
import { AppError } from '../../../src/model/errors.ts';
import { readWindow, toWindowMeaning, type WindowText } from '../../../src/model/windows/window.ts';

/** The present of all windows that a test reads without another one. */
export const now = new Date('2026-11-23T09:30:00Z');

/** Reads a window that is valid. */
export function read(text: WindowText, at = now) {
  const window = readWindow(text, at);
  assert.ok(window !== undefined);
  return window;
}

/** Returns the two ends of a window. */
export function ends(text: WindowText, at = now): (string | null)[] {
  const { since, until } = toWindowMeaning(read(text, at));
  return [since, until];
}

/** Returns the message with which a window is refused. */
export function toMessage(text: WindowText, at = now): string {
  try {
    readWindow(text, at);
  } catch (error) {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, 'invalid_input');
    return error.message;
  }
  return assert.fail(`${JSON.stringify(text)} was accepted`);
}
