/** The numbers that responses have, by the schemas of the API. */

interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: string[];
}

interface DescribedContent {
  content?: Record<string, { schema?: Schema }>;
  'x-other-media-types'?: string[];
}

interface Operation {
  operationId: string;
  parameters?: { name: string; schema: Schema }[];
  responses: Record<string, DescribedContent>;
}

export interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
}

const maxDepth = 12;

/** Returns the paths of all numeric members of the successful JSON responses, by operation: `data[].contributions.commits`. */
export function listNumbers(description: Description): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { operationId, responses } of listOperations(description)) {
    const paths = new Set<string>();
    for (const [status, response] of Object.entries(responses)) {
      const schema = resolve(description, response).content?.['application/json']?.schema;
      if (status.startsWith('2') && schema !== undefined) collect(description, schema, '', paths, 0);
    }
    if (paths.size > 0) found.set(operationId, [...paths]);
  }
  return found;
}

/** Returns the operations that draw, each with the names of its cards; an operation of one card has none. */
export function listCards(description: Description): string[] {
  return listOperations(description).flatMap(({ operationId, parameters = [], responses }) => {
    if (!listTypes(resolve(description, responses['200'] ?? {})).includes('image/svg+xml')) return [];
    const card = parameters
      .map((parameter) => resolve(description, parameter))
      .find(({ name }) => name === 'card')?.schema;
    const names = card && resolve<Schema>(description, card).enum;
    return names === undefined ? [operationId] : names.map((name) => `${operationId} ${name}`);
  });
}

/** An operation of GET, as tests request it. */
export interface RequestedOperation {
  operationId: string;
  /** With the names of its parts in braces. */
  path: string;
  /** The names of all parameters. */
  parameters: string[];
  /** The names of its cards, or one without a name; empty where it draws none. */
  cards: string[];
  isImageAlone: boolean;
}

/** Returns the operations of GET that have a parameter. */
export function operationsWith(description: Description, parameter: string): RequestedOperation[] {
  return Object.entries(description.paths).flatMap(([path, { get }]) => {
    if (get === undefined) return [];
    const { operationId, parameters: references = [], responses } = get;
    const parameters = references.map((one) => resolve(description, one));
    if (!parameters.some(({ name }) => name === parameter)) return [];
    const types = listTypes(resolve(description, responses['200'] ?? {}));
    const card = parameters.find(({ name }) => name === 'card')?.schema;
    const isDrawn = types.includes('image/svg+xml');
    const names = (card && resolve<Schema>(description, card).enum) ?? [''];
    const isImageAlone = isDrawn && !types.includes('application/json');
    const cards = isDrawn ? names : [];
    return [{ operationId, path, parameters: parameters.map(({ name }) => name), cards, isImageAlone }];
  });
}

/** Returns the media types in which a response is sent. */
function listTypes({ content = {}, 'x-other-media-types': others = [] }: DescribedContent): string[] {
  return [...Object.keys(content), ...others];
}

function listOperations({ paths }: Description): Operation[] {
  return Object.values(paths).flatMap((methods) =>
    Object.values(methods).filter((operation) => typeof operation.operationId === 'string'),
  );
}

function resolve<Part extends object>({ components }: Description, part: Part): Part {
  const { $ref }: { $ref?: string } = part;
  if ($ref === undefined) return part;
  const [group = '', name = ''] = $ref.split('/').slice(2);
  return Object(components[group]?.[name]);
}

function collect(
  description: Description,
  schemaOrReference: Schema,
  path: string,
  paths: Set<string>,
  depth: number,
): void {
  if (depth > maxDepth) return;
  const schema = resolve(description, schemaOrReference);
  const of = (part: Schema, suffix: string): void => collect(description, part, `${path}${suffix}`, paths, depth + 1);
  for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) of(part, '');
  if ([schema.type].flat().some((type) => type === 'integer' || type === 'number')) paths.add(path);
  const separator = path === '' ? '' : '.';
  for (const [name, part] of Object.entries(schema.properties ?? {})) of(part, `${separator}${name}`);
  for (const part of Object.values(schema.patternProperties ?? {})) of(part, `${separator}*`);
  if (typeof schema.additionalProperties === 'object') of(schema.additionalProperties, `${separator}*`);
  if (schema.items !== undefined) of(schema.items, '[]');
}
