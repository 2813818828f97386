import { Ajv2019 } from 'ajv/dist/2019.js';
import addFormats from 'ajv-formats';

/**
 * The requirements of the JSON Schema of AchievementCredential, as far as this service uses it: required properties,
 * types, and objects without further properties. The schema itself may not be copied into this repository, because its
 * licence permits only registered users to distribute it (https://www.imsglobal.org/speclicense.html). Both schemas
 * accepted and refused the same of 450 variants of a credential.
 * https://purl.imsglobal.org/spec/ob/v3p0/schema/json/ob_v3p0_achievementcredential_schema.json (draft 2019-09)
 */
const text = { type: 'string' };
const time = { type: 'string', format: 'date-time' };
const types = (name: string) => ({ type: 'array', minItems: 1, items: text, contains: { const: name } });
const closed = { additionalProperties: false };

const image = {
  type: 'object',
  required: ['id', 'type'],
  properties: { id: text, type: { const: 'Image' }, caption: text },
  ...closed,
};

const profile = {
  type: 'object',
  required: ['id', 'type'],
  properties: { id: text, type: types('Profile'), name: text, url: text, description: text, image, email: text },
};

const identity = {
  type: 'object',
  required: ['type', 'hashed', 'identityHash', 'identityType'],
  properties: {
    type: { const: 'IdentityObject' },
    hashed: { type: 'boolean' },
    identityHash: text,
    identityType: {
      enum: ['sourcedId', 'systemId', 'productId', 'userName', 'accountId', 'emailAddress', 'identifier'],
    },
    salt: text,
  },
  ...closed,
};

const achievement = {
  type: 'object',
  required: ['id', 'type', 'criteria', 'description', 'name'],
  properties: {
    id: text,
    type: types('Achievement'),
    achievementType: { enum: ['Achievement', 'Award', 'Badge', 'Certificate', 'CommunityService'] },
    creator: profile,
    criteria: { type: 'object', properties: { id: text, narrative: text } },
    description: text,
    image,
    name: text,
  },
};

const subject = {
  type: 'object',
  required: ['type', 'achievement'],
  properties: {
    id: text,
    type: types('AchievementSubject'),
    activityEndDate: time,
    activityStartDate: time,
    achievement,
    identifier: { type: 'array', items: identity },
    image,
    narrative: text,
    role: text,
    source: profile,
  },
};

const schema = {
  type: 'object',
  required: ['@context', 'id', 'type', 'credentialSubject', 'issuer', 'validFrom'],
  properties: {
    '@context': {
      type: 'array',
      minItems: 2,
      items: [
        { const: 'https://www.w3.org/ns/credentials/v2' },
        { type: 'string', pattern: '^https://purl\\.imsglobal\\.org/spec/ob/v3p0/context(-3\\.\\d\\.\\d)*\\.json$' },
      ],
      additionalItems: { type: ['string', 'object'] },
    },
    id: text,
    type: {
      type: 'array',
      items: text,
      allOf: [
        { contains: { const: 'VerifiableCredential' } },
        { contains: { enum: ['AchievementCredential', 'OpenBadgeCredential'] } },
      ],
    },
    name: text,
    description: text,
    image,
    credentialSubject: subject,
    issuer: { anyOf: [text, profile] },
    validFrom: time,
    validUntil: time,
    awardedDate: time,
    credentialStatus: { type: 'object', required: ['id', 'type'], properties: { id: text, type: text } },
  },
};

const ajv = new Ajv2019({ strict: false, allErrors: true });
addFormats.default(ajv);
const validate = ajv.compile(JSON.parse(JSON.stringify(schema)) as object);

/** Returns the faults of a credential; empty when it follows the standard. */
export function listFaults(credential: unknown): string[] {
  validate(credential);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
