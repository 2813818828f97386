import { defineConfig } from '@hey-api/openapi-ts';

/** Generates the types and the calls of the API. Programs need neither HEAD nor what code hosts send. */
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
