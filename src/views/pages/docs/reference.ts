import { Marked } from 'marked';
import { tags } from '../../../http/description/document.ts';
import { html, type Markup, trusted } from '../layout/html.ts';
import { documentPath } from './library.ts';
import { toText } from './markdown.ts';
import type { Field, Operation } from './operations.ts';
import type { Searchable } from './search.ts';

/** The path of the reference below `/docs`. */
export const referenceSlug = 'reference';

const credentialNames: Readonly<Record<string, string>> = {
  none: 'none',
  serviceToken: 'a service token',
  providerToken: 'a token of the code host',
};

export function operationPath({ id }: Operation): string {
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
