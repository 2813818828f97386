/** The parts of an OpenAPI 3.1 document that are written here; `@fastify/swagger` writes the rest. */
export interface Document {
  servers?: { url: string }[];
  paths: Record<string, PathItem>;
  components: Record<string, Record<string, object>>;
}

export type PathItem = Record<string, Operation>;

export interface Operation {
  operationId?: string;
  parameters?: object[];
  requestBody?: object;
  responses: Record<string, DescribedResponse>;
}

/** A response, or a reference to the component that describes it. */
export interface DescribedResponse {
  $ref?: string;
  description?: string;
  headers?: Record<string, object>;
  content?: Record<string, { schema?: object }>;
  /** The media types in which the data is also sent, where a parameter or the kind of the request chooses one. */
  'x-other-media-types'?: string[];
}

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
