import { type Static, Type } from 'typebox';

const Part = Type.Object({});
const Parts = Type.Record(Type.String(), Part);

/** A response, or a reference to the component that describes it. */
const DescribedResponse = Type.Object({
  $ref: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  headers: Type.Optional(Parts),
  content: Type.Optional(Type.Record(Type.String(), Type.Object({ schema: Type.Optional(Part) }))),
  /** The media types in which the data is also sent, where a parameter or the kind of the request chooses one. */
  'x-other-media-types': Type.Optional(Type.Array(Type.String())),
});
export type DescribedResponse = Static<typeof DescribedResponse>;

const Operation = Type.Object({
  operationId: Type.Optional(Type.String()),
  parameters: Type.Optional(Type.Array(Part)),
  requestBody: Type.Optional(Part),
  responses: Type.Record(Type.String(), DescribedResponse),
});
export type Operation = Static<typeof Operation>;

/** The parts of an OpenAPI 3.1 document that are written here; `@fastify/swagger` writes the rest. */
export const Document = Type.Object({
  paths: Type.Record(Type.String(), Type.Record(Type.String(), Operation)),
  components: Type.Record(Type.String(), Parts),
});
export type Document = Static<typeof Document>;

/** The groups of endpoints in the description. */
export const tags = {
  Accounts: 'Users, bots and organizations of the code hosts.',
  Contributions: 'Lifetime counters of an account, and its calendar.',
  Contributors: 'Who contributed to the repositories of an account.',
  Achievements: 'What an account was awarded, also as signed credentials.',
  Boards: 'Rankings with published rules, their evidence and frozen seasons.',
  Repositories: 'Repositories of an account.',
  Access: 'Service tokens and long-term keys, by which owners prove who they are.',
  Owners: 'What the owner of an account decides and sees: settings, links, audit, status, export, erasure.',
  Notifications: 'Messages about awards in the repositories of an account.',
  Hosts: 'What code hosts send.',
  Service: 'The service itself.',
} as const;
export type Tag = keyof typeof tags;
