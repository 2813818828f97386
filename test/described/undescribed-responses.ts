import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Collects the responses that services sent although `/openapi.json` does not describe them, over all their processes. */
export class UndescribedResponses implements Disposable {
  readonly #directory = mkdtempSync(join(tmpdir(), 'plaudit-responses-'));
  readonly #file = join(this.#directory, 'faults');
  #taken = 0;

  constructor() {
    writeFileSync(this.#file, '');
  }

  /** Returns options that make a process and those that it starts validate their responses, and the given other options. */
  nodeOptions(others = ''): string {
    const module = new URL('watch.ts', import.meta.url);
    module.searchParams.set('file', this.#file);
    return `${others} --import=${module.href}`.trim();
  }

  /** Returns a line for each fault since the last call. */
  take(): string[] {
    const lines = readFileSync(this.#file, 'utf8').split('\n').slice(0, -1);
    const fresh = lines.slice(this.#taken);
    this.#taken = lines.length;
    return fresh.map((line) => `/openapi.json does not describe what the service sent: ${line}`);
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
