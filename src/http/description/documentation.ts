import swagger from '@fastify/swagger';
import { Type } from 'typebox';
import { toFields } from '../../model/fields.ts';
import { readAs } from '../pipeline/parameters.ts';
import { renderDocument } from '../pipeline/response.ts';
import { sendResponse } from '../pipeline/send.ts';
import type { App } from '../server/app.ts';
import type { Representations } from '../server/compression.ts';
import { complete, describeResponses } from './components.ts';
import { Document, tags } from './document.ts';

const maxAgeS = 300;

/**
 * Serves the description of the API at `/openapi.json`. This folder describes the common parts of routes, so that each
 * route declares only its own.
 * @param publicUrl returns the public base URL of this service.
 */
export async function addDocumentation(app: App, publicUrl: () => string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Plaudit',
        version: '1',
        description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      // `{}` permits requests without a credential. Every address accepts a valid service token, and none an invalid
      // one.
      security: [{}, { serviceToken: [] }],
      tags: Object.entries(tags).map(([name, meaning]) => ({ name, description: meaning })),
      components: { securitySchemes },
    },
    convertConstToEnum: false,
    transform: ({ schema, url, route }) => {
      const { cards, rateLimit } = route.config ?? {};
      const types = schema?.produces ?? ['application/json'];
      const facts = {
        method: String(route.method),
        url,
        hasImages: cards !== undefined || types.some((type) => type.startsWith('image/')),
        dataTypes: types.filter((type) => !type.startsWith('image/')),
        isLimited: rateLimit !== false,
      };
      return { url, schema: { ...schema, response: describeResponses(toFields(schema?.response), facts) } };
    },
    transformObject: (described) => {
      const { openapiObject } = readAs(Type.Object({ openapiObject: Document }), described);
      return Object.assign({}, complete(openapiObject), { servers: [{ url: publicUrl() }] });
    },
  });
  // The document stays the same while the service runs.
  let rendered: Representations | undefined;
  app.get('/openapi.json', { schema: ownSchema }, async (request, reply) => {
    rendered ??= renderDocument(app.swagger(), maxAgeS);
    return sendResponse(request, reply, rendered);
  });
}

const description = `What accounts on code hosts have done: profile, contributions, contributors, achievements.

Every response has \`x-request-id\`. Errors are JSON, \`{"error": {"code", "type", "message"}}\`; the numbers of \`code\` do not change. Images for
people have status 200 also for errors, with \`x-error-code\`, because image proxies show nothing else. A request with a credential, or of a program by
its headers (\`Accept\` without an image type, \`User-Agent\`), gets the status of the error, and 202 while data is collected. HEAD is allowed wherever GET is, other methods give 405. Unknown parameters are ignored. An invalid credential is 401 on every address.

People find this description at \`/docs\`, and compose cards at \`/cards\`.`;

const securitySchemes = {
  serviceToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'From `/v1/{provider}/entities/{name}/token`, or signed with a registered key.',
  },
  providerToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token of the provider, such as a personal access token.',
  },
} as const;

const ownSchema = {
  operationId: 'getDescription',
  summary: 'This description',
  tags: ['Service'],
  response: {
    304: Type.Null(),
    200: Type.Object({}, { additionalProperties: true, description: 'OpenAPI 3.1.', title: 'Description' }),
  },
};
