import { Marked } from 'marked';
import { tags } from '../../../http/description/document.ts';
import { html, type Markup, trusted } from '../layout/html.ts';
import { documentPath } from './library.ts';
import { toText } from './markdown.ts';
import type { Searchable } from './search.ts';

/** Reads the description of the API (OpenAPI 3.1) into what its reference shows. */

/** A parameter, or a field of a body. */
interface Field {
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

class Reader {
  readonly #document: object;

  constructor(document: object) {
    this.#document = document;
  }

  readOperation(method: string, path: string, operation: Json, isCardOption: (name: string) => boolean): Operation {
    const parameters = readList(operation['parameters']).map((parameter) => this.#resolve(parameter));
    const plainParameters = parameters.filter(({ name }) => !isCardOption(readText(name)));
    const responses = Object.entries(readObject(operation['responses']));
    const success = this.#resolve(responses.find(([status]) => status.startsWith('2') && status !== '202')?.[1]);
    const content = readObject(success['content']);
    const body = readObject(this.#resolve(operation['requestBody'])['content']);
    return {
      id: readText(operation['operationId']),
      method: method.toUpperCase(),
      path,
      tag: readText(readList(operation['tags'])[0]),
      summary: readText(operation['summary']),
      description: readText(operation['description']),
      credentials: this.#readCredentials(operation),
      parameters: [
        ...plainParameters.filter((parameter) => parameter['in'] === 'path'),
        ...plainParameters.filter((parameter) => parameter['in'] !== 'path'),
      ].map((parameter) => this.#parameter(parameter)),
      cardOptions: parameters
        .filter(({ name }) => isCardOption(readText(name)))
        .map((parameter) => this.#parameter(parameter)),
      body: this.#listFields(readObject(Object.values(body)[0])['schema']),
      responses: responses.map(([status, response]) => [status, readText(this.#resolve(response)['description'])]),
      types: [...Object.keys(content), ...readList(success['x-other-media-types']).map(readText)],
      fields: this.#listFields(readObject(content['application/json'])['schema']),
    };
  }

  /** Follows a reference; no reference leads to another one. */
  #resolve(value: unknown): Json {
    const reference = readObject(value)['$ref'];
    if (typeof reference !== 'string') return readObject(value);
    const path = reference.replace(/^#\//, '').split('/');
    return path.reduce<Json>((node, name) => readObject(node[name]), readObject(this.#document));
  }

  #readCredentials(operation: Json): string[] {
    const requirements = operation['security'] ?? readObject(this.#document)['security'];
    const names = readList(requirements).map((requirement) => Object.keys(readObject(requirement))[0] ?? 'none');
    return names.length === 0 ? ['none'] : names;
  }

  #parameter(parameter: Json): Field {
    const schema = this.#resolve(parameter['schema']);
    return {
      name: readText(parameter['name']),
      type: this.#formatType(schema),
      description: readText(parameter['description']) || readText(schema['description']),
      isRequired: parameter['required'] === true,
    };
  }

  #listFields(schema: unknown, prefix = '', depth = 0): Field[] {
    const resolved = this.#withoutNull(this.#resolve(schema));
    const items = resolved['items'];
    if (items !== undefined) return this.#listFields(items, `${prefix}[]`, depth);
    const required = readList(resolved['required']);
    return Object.entries(readObject(resolved['properties'])).flatMap(([name, property]) => {
      const full = prefix === '' ? name : `${prefix}.${name}`;
      const own = this.#resolve(property);
      const field = {
        name: full,
        type: this.#formatType(own),
        description: readText(readObject(property)['description']) || readText(own['description']),
        isRequired: required.includes(name),
      };
      return [field].concat(depth < maxDepth ? this.#listFields(own, full, depth + 1) : []);
    });
  }

  /** Returns the one alternative of a schema that is not null, if it is an object or a list. */
  #withoutNull(schema: Json): Json {
    const others = readList(schema['anyOf'])
      .map((alternative) => this.#resolve(alternative))
      .filter((alternative) => alternative['type'] !== 'null');
    return others.length === 1 && others[0] !== undefined ? others[0] : schema;
  }

  /** Returns the type of a schema in words: its values, its limits, its default. */
  #formatType(schemaOrReference: Json): string {
    const schema = this.#resolve(schemaOrReference);
    const values = readList(schema['enum']);
    const alternatives = readList(schema['anyOf']);
    if (alternatives.length > 0)
      return [...new Set(alternatives.map((alternative) => this.#formatType(readObject(alternative))))].join(' or ');
    if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
    const name = values.length > 0 ? values.map(String).join(', ') : formatTypeName(schema);
    const items = schema['items'] === undefined ? '' : ` of ${this.#formatType(readObject(schema['items']))}`;
    const fallback = schema['default'] === undefined ? '' : `; default ${JSON.stringify(schema['default'])}`;
    return `${name}${items}${formatLimits(schema)}${fallback}`;
  }
}

/** The path of the reference below `/docs`. */
export const referenceSlug = 'reference';

const credentialNames: Readonly<Record<string, string>> = {
  none: 'none',
  serviceToken: 'a service token',
  providerToken: 'a token of the code host',
};

function operationPath({ id }: Operation): string {
  return documentPath(`${referenceSlug}/${id}`);
}

/** Renders the list of all operations. */
export function referenceIndex(operations: readonly Operation[]): Markup {
  const groups = Object.entries(tags).map(
    ([tag, meaning]) => html`<h2 id="${tag.toLowerCase()}">${tag}</h2><p>${meaning}</p>
<ul class="operations">${operations
      .filter((operation) => operation.tag === tag)
      .map(
        (operation) =>
          html`<li><a href="${operationPath(operation)}">${operation.summary}</a><br><code>${operation.method} ${operation.path}</code></li>`,
      )}</ul>`,
  );
  return html`<h1>Reference</h1>
<p>Every address of the service. Programs read the same from <a href="/openapi.json"><code>/openapi.json</code></a>.
Errors are JSON, <code>{"error": {"code", "type", "message"}}</code>; HEAD is allowed wherever GET is.</p>
${groups}`;
}

/** Renders one operation. */
export function operationPage(operation: Operation, publicUrl: string): Markup {
  const { summary, description, method, path, credentials, parameters, cardOptions, body, responses } = operation;
  return html`<h1>${summary}</h1>
<p class="address"><code>${method}</code> <code>${path}</code></p>
${inline(description)}
<p>Credential: ${credentials.map((name) => credentialNames[name] ?? name).join(', or ')}.</p>
<pre tabindex="0"><code>${formatExample(operation, publicUrl)}</code></pre>
${fieldTable('Parameters', parameters)}
${fieldTable('Body', body)}
${cardOptions.length > 0 && html`<details><summary>Options of cards</summary>${fieldTable('', cardOptions)}</details>`}
${fieldTable('Response', operation.fields)}
${operation.types.length > 0 && html`<p class="note">Types of the response: ${operation.types.join(', ')}</p>`}
<h2 id="statuses">Statuses</h2>
<div class="wide" tabindex="0"><table class="stacked">${responses.map(
    ([status, meaning]) => html`<tr><td><code>${status}</code></td><td>${inline(meaning)}</td></tr>`,
  )}</table></div>`;
}

function formatExample({ method, path, credentials, body }: Operation, publicUrl: string): string {
  const options = [
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...(credentials.includes('none') ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...(body.length > 0 ? ["-H 'content-type: application/json'", "-d '{…}'"] : []),
  ];
  return ['curl', ...options, `"${publicUrl}${path.replace('{provider}', 'github').replace('{name}', 'NAME')}"`].join(
    ' ',
  );
}

function fieldTable(heading: string, fields: readonly Field[]): Markup | false {
  if (fields.length === 0) return false;
  return html`${heading !== '' && html`<h2 id="${heading.toLowerCase()}">${heading}</h2>`}
<div class="wide" tabindex="0"><table class="stacked"><thead><tr><th>Name</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${fields.map(
    ({ name, type, description, isRequired }) =>
      html`<tr><td><code>${name}</code>${isRequired && html` <small>required</small>`}</td><td>${type}</td><td>${inline(description)}</td></tr>`,
  )}</tbody></table></div>`;
}

const marked = new Marked();

/** Renders the Markdown of a description, which this project wrote. */
function inline(text: string): Markup {
  return trusted(marked.parseInline(text, { async: false }));
}

/** Returns the parts of the reference for the search. */
export function searchableOperations(operations: readonly Operation[]): Searchable[] {
  return operations.map((operation) => {
    const { summary, method, path, description, parameters, fields } = operation;
    const named = [...parameters, ...fields].map(({ name, description: meaning }) => `${name} ${meaning}`);
    const text = toText([`${method} ${path}`, description, ...named].join(' ')).replaceAll('`', '');
    return {
      path: operationPath(operation),
      title: summary,
      sections: [{ id: '', heading: '', text }],
      isMinor: false,
    };
  });
}

/**
 * @param document the description of the API.
 * @param isCardOption returns whether a parameter is an option of all cards.
 */
export function readOperations(document: object, isCardOption: (name: string) => boolean): Operation[] {
  const reader = new Reader(document);
  return Object.entries(readObject(readObject(document)['paths'])).flatMap(([path, item]) =>
    Object.entries(readObject(item))
      .filter(([method]) => !['head', 'options'].includes(method))
      .map(([method, operation]) => reader.readOperation(method, path, readObject(operation), isCardOption)),
  );
}

function formatTypeName(schema: Json): string {
  const format = schema['format'];
  if (format === 'date-time') return 'time';
  if (format === 'uri') return 'address';
  const type = readText(schema['type']);
  return type === 'array' ? 'list' : type || 'any value';
}

function formatLimits(schema: Json): string {
  const limit = (name: string): number | undefined => readNumber(schema[name]);
  const [minimum, maximum, maxLength, maxItems] = ['minimum', 'maximum', 'maxLength', 'maxItems'].map(limit);
  if (minimum !== undefined && maximum !== undefined) return ` ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` from ${minimum}`;
  if (maxLength !== undefined) return `, at most ${maxLength} letters`;
  return maxItems === undefined ? '' : `, at most ${maxItems}`;
}

function readNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function readObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
