import { defineConfig } from '@hey-api/openapi-ts';

/** Generates the types and calls of the API, without HEAD and without the webhooks that code hosts call. */
export default defineConfig({
  input: 'openapi.json',
  output: { path: 'src/generated', clean: true },
  parser: { filters: { operations: { exclude: ['/^HEAD /'] }, tags: { exclude: ['Hosts'] } } },
  plugins: [
    '@hey-api/client-fetch',
    '@hey-api/typescript',
    { name: '@hey-api/sdk', operations: { strategy: 'single', containerName: 'PlauditApi' } },
  ],
});
