import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';

/** The package itself builds the schema once more, for a function that is not used here. */
const idl = readFileSync(new URL('schema.graphql', import.meta.resolve('@octokit/graphql-schema')), 'utf8');

/** GitHub's own schema. */
export const schema = buildSchema(idl, { assumeValid: true });
