import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { App } from './app.ts';

/** Serves the description of the API: `/openapi.json` for programs, `/docs` for people. */
export async function addDocumentation(app: App): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Plaudit',
        version: '1',
        description: 'What an account on a code host has done: profile, contributions, contributors.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: {
        securitySchemes: {
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
        },
      },
    },
  });
  await app.register(swaggerUi, { routePrefix: '/docs', staticCSP: true });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}
