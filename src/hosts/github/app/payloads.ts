import { type Static, Type } from 'typebox';

const Id = Type.Integer({ minimum: 1 });
const Time = Type.String({ minLength: 20, maxLength: 40 });

export const InstallationPayload = Type.Object({
  id: Id,
  // An enterprise has no login, and owns no repositories.
  account: Type.Union([Type.Null(), Type.Object({ id: Id, login: Type.Optional(Type.String()) })]),
  target_type: Type.String(),
  repository_selection: Type.String(),
  permissions: Type.Record(Type.String(), Type.String()),
  suspended_at: Type.Optional(Type.Union([Type.Null(), Time])),
});
export type InstallationPayload = Static<typeof InstallationPayload>;
export const InstallationsPayload = Type.Array(InstallationPayload);

/** https://docs.github.com/rest/apps/apps#get-the-authenticated-app */
export const AppPayload = Type.Object({
  slug: Type.Optional(Type.String()),
  name: Type.String(),
  // Enterprises have no login.
  owner: Type.Optional(Type.Union([Type.Null(), Type.Object({ login: Type.Optional(Type.String()) })])),
  permissions: Type.Record(Type.String(), Type.String()),
  events: Type.Array(Type.String()),
});

export const InstallationTokenPayload = Type.Object({
  token: Type.String({ minLength: 1 }),
  expires_at: Time,
  permissions: Type.Optional(Type.Record(Type.String(), Type.String())),
});

export const CoveredPayload = Type.Object({
  total_count: Type.Integer({ minimum: 0 }),
  repositories: Type.Array(Type.Object({ id: Id })),
});

export const AttemptsPayload = Type.Array(
  Type.Object({
    // GitHub's ids are still below 2^53, up to which numbers are exact.
    id: Id,
    guid: Type.String({ minLength: 1 }),
    delivered_at: Time,
    status_code: Type.Integer(),
  }),
);

/** A response whose content is not read. */
export const AnyPayload = Type.Unknown();
