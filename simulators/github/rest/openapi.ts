import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

/** GitHub's own description of the responses of the simulator, without prose (see scripts/trim-openapi.ts). */
const description = JSON.parse(readFileSync(new URL('../generated/openapi.json', import.meta.url), 'utf8')) as {
  answers: Record<string, object>;
};
const ajv = new Ajv({ strict: false, allErrors: false, validateFormats: true });
formats.default(ajv);
ajv.addSchema(description, 'openapi');
const compiled = new Map<string, ValidateFunction>();

/**
 * Checks a response against GitHub's description.
 * @param path as the description writes it.
 * @throws {Error} when GitHub could not send the response.
 */
export function checkResponse(path: string, body: unknown): void {
  if (!(path in description.answers)) throw new Error(`${path} is not in the description`);
  const pointer = path
    .replaceAll('~', '~0')
    .replaceAll('/', '~1')
    .replaceAll(' ', '%20')
    .replaceAll('{', '%7B')
    .replaceAll('}', '%7D');
  const validate = compiled.get(path) ?? ajv.compile({ $ref: `openapi#/answers/${pointer}` });
  compiled.set(path, validate);
  if (validate(body)) return;
  const [fault] = validate.errors ?? [];
  throw new Error(`${path}: ${fault?.instancePath} ${fault?.message}`);
}
