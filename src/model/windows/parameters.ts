import { Type } from 'typebox';

const maxLength = 64;

/** The parameters of a window in URLs. `readWindow` reads their values. */
export const WindowParameters = Type.Object({
  since: Type.Optional(
    Type.String({
      maxLength,
      description:
        'First day (`YYYY-MM-DD`) in `time_zone`, or first instant (RFC 3339). Earlier contributions do not count.',
      examples: ['2026-10-01'],
    }),
  ),
  until: Type.Optional(
    Type.String({
      maxLength,
      description: 'Last day, which is included, or an instant, which is not.',
      examples: ['2026-10-31'],
    }),
  ),
  period: Type.Optional(
    Type.String({
      maxLength,
      description:
        'In the place of `since` and `until`: `2026`, `2026-Q3`, `2026-10`, `2026-W42`, `last-7d`, `last-30d`, `last-90d`, `last-365d`, or `this-` and `previous-` with `week`, `month`, `quarter`, `year`.',
      examples: ['2026-10'],
    }),
  ),
  time_zone: Type.Optional(
    Type.String({ maxLength, description: 'IANA name. Default: UTC.', examples: ['Europe/Berlin'] }),
  ),
});
