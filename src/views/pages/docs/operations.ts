/** Reads the description of the API (OpenAPI 3.1) into what its reference shows. */

/** A parameter, or a field of a body. */
export interface Field {
  /** Its name; that of a field begins with those of the objects around it: `data[].name`. */
  name: string;
  type: string;
  description: string;
  isRequired: boolean;
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  tag: string;
  summary: string;
  description: string;
  /** The credentials that it takes; `none` where it takes requests without one. */
  credentials: readonly string[];
  parameters: readonly Field[];
  /** The parameters of cards, which many operations share. */
  cardOptions: readonly Field[];
  body: readonly Field[];
  /** The statuses and their meanings. */
  responses: readonly (readonly [status: string, description: string])[];
  /** The media types of a successful response. */
  types: readonly string[];
  /** The fields of a successful response in JSON. */
  fields: readonly Field[];
}

type Json = Readonly<Record<string, unknown>>;

const maxDepth = 6;

/**
 * @param document the description of the API.
 * @param isCardOption returns whether a parameter is an option of all cards.
 */
export function readOperations(document: object, isCardOption: (name: string) => boolean): Operation[] {
  const reader = new Reader(document);
  return Object.entries(objectOf(objectOf(document)['paths'])).flatMap(([path, item]) =>
    Object.entries(objectOf(item))
      .filter(([method]) => !['head', 'options'].includes(method))
      .map(([method, operation]) => reader.readOperation(method, path, objectOf(operation), isCardOption)),
  );
}

class Reader {
  readonly #document: object;

  constructor(document: object) {
    this.#document = document;
  }

  readOperation(method: string, path: string, operation: Json, isCardOption: (name: string) => boolean): Operation {
    const parameters = listOf(operation['parameters']).map((parameter) => this.#resolve(parameter));
    const plainParameters = parameters.filter(({ name }) => !isCardOption(textOf(name)));
    const responses = Object.entries(objectOf(operation['responses']));
    const success = this.#resolve(responses.find(([status]) => status.startsWith('2') && status !== '202')?.[1]);
    const content = objectOf(success['content']);
    const body = objectOf(this.#resolve(operation['requestBody'])['content']);
    return {
      id: textOf(operation['operationId']),
      method: method.toUpperCase(),
      path,
      tag: textOf(listOf(operation['tags'])[0]),
      summary: textOf(operation['summary']),
      description: textOf(operation['description']),
      credentials: this.#credentialsOf(operation),
      parameters: [
        ...plainParameters.filter((parameter) => parameter['in'] === 'path'),
        ...plainParameters.filter((parameter) => parameter['in'] !== 'path'),
      ].map((parameter) => this.#parameter(parameter)),
      cardOptions: parameters
        .filter(({ name }) => isCardOption(textOf(name)))
        .map((parameter) => this.#parameter(parameter)),
      body: this.#fieldsOf(objectOf(Object.values(body)[0])['schema']),
      responses: responses.map(([status, response]) => [status, textOf(this.#resolve(response)['description'])]),
      types: [...Object.keys(content), ...listOf(success['x-other-media-types']).map(textOf)],
      fields: this.#fieldsOf(objectOf(content['application/json'])['schema']),
    };
  }

  /** Follows a reference; no reference leads to another one. */
  #resolve(value: unknown): Json {
    const reference = objectOf(value)['$ref'];
    if (typeof reference !== 'string') return objectOf(value);
    const path = reference.replace(/^#\//, '').split('/');
    return path.reduce<Json>((node, name) => objectOf(node[name]), objectOf(this.#document));
  }

  #credentialsOf(operation: Json): string[] {
    const requirements = operation['security'] ?? objectOf(this.#document)['security'];
    const names = listOf(requirements).map((requirement) => Object.keys(objectOf(requirement))[0] ?? 'none');
    return names.length === 0 ? ['none'] : names;
  }

  #parameter(parameter: Json): Field {
    const schema = this.#resolve(parameter['schema']);
    return {
      name: textOf(parameter['name']),
      type: this.#typeOf(schema),
      description: textOf(parameter['description']) || textOf(schema['description']),
      isRequired: parameter['required'] === true,
    };
  }

  #fieldsOf(schema: unknown, prefix = '', depth = 0): Field[] {
    const resolved = this.#withoutNull(this.#resolve(schema));
    const items = resolved['items'];
    if (items !== undefined) return this.#fieldsOf(items, `${prefix}[]`, depth);
    const required = listOf(resolved['required']);
    return Object.entries(objectOf(resolved['properties'])).flatMap(([name, property]) => {
      const full = prefix === '' ? name : `${prefix}.${name}`;
      const own = this.#resolve(property);
      const field = {
        name: full,
        type: this.#typeOf(own),
        description: textOf(objectOf(property)['description']) || textOf(own['description']),
        isRequired: required.includes(name),
      };
      return [field].concat(depth < maxDepth ? this.#fieldsOf(own, full, depth + 1) : []);
    });
  }

  /** Returns the one alternative of a schema that is not null, if it is an object or a list. */
  #withoutNull(schema: Json): Json {
    const others = listOf(schema['anyOf'])
      .map((alternative) => this.#resolve(alternative))
      .filter((alternative) => alternative['type'] !== 'null');
    return others.length === 1 && others[0] !== undefined ? others[0] : schema;
  }

  /** Returns the type of a schema in words: its values, its limits, its default. */
  #typeOf(schemaOrReference: Json): string {
    const schema = this.#resolve(schemaOrReference);
    const values = listOf(schema['enum']);
    const alternatives = listOf(schema['anyOf']);
    if (alternatives.length > 0)
      return [...new Set(alternatives.map((alternative) => this.#typeOf(objectOf(alternative))))].join(' or ');
    if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
    const name = values.length > 0 ? values.map(String).join(', ') : nameOf(schema);
    const items = schema['items'] === undefined ? '' : ` of ${this.#typeOf(objectOf(schema['items']))}`;
    const fallback = schema['default'] === undefined ? '' : `; default ${JSON.stringify(schema['default'])}`;
    return `${name}${items}${limitsOf(schema)}${fallback}`;
  }
}

function nameOf(schema: Json): string {
  const format = schema['format'];
  if (format === 'date-time') return 'time';
  if (format === 'uri') return 'address';
  const type = textOf(schema['type']);
  return type === 'array' ? 'list' : type || 'any value';
}

function limitsOf(schema: Json): string {
  const limit = (name: string): number | undefined => numberOf(schema[name]);
  const [minimum, maximum, maxLength, maxItems] = ['minimum', 'maximum', 'maxLength', 'maxItems'].map(limit);
  if (minimum !== undefined && maximum !== undefined) return ` ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` from ${minimum}`;
  if (maxLength !== undefined) return `, at most ${maxLength} letters`;
  return maxItems === undefined ? '' : `, at most ${maxItems}`;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
