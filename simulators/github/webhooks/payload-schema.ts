import schemas from '@octokit/webhooks-schemas' with { type: 'json' };
import { Ajv } from 'ajv';
import formats from 'ajv-formats';

const ajv = new Ajv({ strict: false });
formats.default(ajv);
// The schemas do not know yet that discussions can be closed.
const isOpen = { enum: ['open', 'closed', 'locked', 'converting', 'transferring'] };
const { discussion, ...definitions } = schemas.definitions;
const closable = { ...discussion, properties: { ...discussion.properties, state: isOpen } };
ajv.addSchema({ definitions: open({ ...definitions, discussion: closable }) as object }, 'webhooks');

/** Actions that GitHub documents but the schemas lack, each with an action of the same form. */
const newer: Record<string, string> = {
  discussion$closed: 'discussion$edited',
  discussion$reopened: 'discussion$edited',
};

/** Checks that a payload has the fields that the community's schemas of GitHub's payloads require. */
export function checkPayload(name: string, payload: object): void {
  const { action = 'event' } = payload as { action?: string };
  const kind = `${name}$${action}`;
  const substitute = newer[kind];
  // Some of the schemas describe only deliveries to Apps.
  const delivered = {
    installation: { id: 1, node_id: 'I_1' },
    ...payload,
    ...(substitute && { action: 'edited', changes: {} }),
  };
  const validate = ajv.getSchema(`webhooks#/definitions/${substitute ?? kind}`);
  if (validate === undefined) throw new Error(`there is no schema of ${kind}`);
  if (validate(delivered) === true) return;
  const faults = validate.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`).join('; ');
  throw new Error(`${kind}: ${faults}`);
}

/** GitHub sends more fields every year than the schemas know. */
function open(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(open);
  if (typeof part !== 'object' || part === null) return part;
  const kept = Object.entries(part).filter(([key, value]) => key !== 'additionalProperties' || value !== false);
  return Object.fromEntries(kept.map(([key, value]) => [key, open(value)]));
}
