import { type Static, Type } from 'typebox';
import { maxConditionLength } from '../conditions/parser.ts';
import { actions, actorAliases, actors } from '../conditions/vocabulary.ts';

/**
 * The schema of the file, for its reader and, as JSON Schema, for editors. Each `description` states the expected
 * content.
 */

const maxAchievements = 200;
export const maxTriggers = 20;
const maxWebhooks = 50;
const maxEvents = 1000;
export const maxPoints = 1_000_000;

/** A name may be a number or a boolean, because YAML reads an unquoted `2024` or `yes` as one. */
function name(description: string): ReturnType<typeof Type.Unsafe<string>> {
  return Type.Unsafe<string>({ type: ['string', 'number', 'boolean'], minLength: 1, maxLength: 200, description });
}

const trigger = {
  actor: Type.Enum([...actors, ...Object.keys(actorAliases)], { description: 'the role of the person in the item' }),
  condition: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: maxConditionLength,
      description: 'a condition, as in merged = true & count() >= 5; without one, everything of this action counts',
    }),
  ),
};
const own = Type.Optional(
  Type.Boolean({ description: 'false: reviews and comments of people on items of their own do not count' }),
);
const operator = Type.Optional(
  Type.Enum(['&', '|'], { description: 'the operator before the next trigger; & by default' }),
);

const Trigger = Type.Object(
  { ...trigger, action: Type.Enum([...actions], { description: 'the kind of items that it counts' }), operator, own },
  { additionalProperties: false },
);

const PointTrigger = Type.Object(
  {
    ...trigger,
    action: Type.Enum(
      actions.filter((action) => action !== 'point'),
      { description: 'the kind of items that it counts' },
    ),
    value: Type.Integer({ minimum: 1, maximum: maxPoints, description: `a whole number from 1 to ${maxPoints}` }),
    own,
  },
  { additionalProperties: false },
);

/** The keys that say what a trigger is about, each by itself. */
export const TriggerParts = Type.Partial(Type.Pick(Trigger, ['actor', 'action', 'condition', 'own']));

const TriggerEntry = Type.Object({ trigger: Trigger }, { additionalProperties: false });
const PointTriggerEntry = Type.Object({ trigger: PointTrigger }, { additionalProperties: false });

export const PointActionEntry = Type.Object(
  {
    action: Type.Object(
      {
        type: Type.Enum(['point'], { description: 'the kind of action' }),
        name: name('the name by which sum() calls the points'),
        triggers: Type.Array(PointTriggerEntry, {
          minItems: 1,
          maxItems: maxTriggers,
          description: 'how the points are earned',
        }),
      },
      { additionalProperties: false, description: 'a rule that gives points' },
    ),
  },
  { additionalProperties: false },
);

const Metadata = Type.Object(
  { date: Type.Optional(Type.String({ maxLength: 40, description: 'a day, as MM-DD-YYYY or YYYY-MM-DD' })) },
  { additionalProperties: false, description: 'what type: once needs' },
);

export const AchievementEntry = Type.Object(
  {
    achievement: Type.Object(
      {
        name: name('the name of the achievement, by which it is known'),
        icon: Type.Optional(
          Type.String({ maxLength: 2000, description: 'an address, or a path in the repository, of an image' }),
        ),
        description: Type.Optional(Type.String({ maxLength: 2000, description: 'reason for which it is awarded' })),
        type: Type.Optional(
          Type.Enum(['ongoing', 'once'], {
            description: 'ongoing: earned at any time; once: evaluated at metadata.date',
          }),
        ),
        metadata: Type.Optional(Metadata),
        triggers: Type.Array(TriggerEntry, {
          minItems: 1,
          maxItems: maxTriggers,
          description: 'the triggers that have to be fulfilled',
        }),
      },
      { additionalProperties: false, description: 'an achievement' },
    ),
  },
  { additionalProperties: false },
);

/** Keys of an achievement whose meaning its schema does not check, each by itself. */
export const AchievementParts = Type.Partial(Type.Pick(AchievementEntry.properties.achievement, ['icon', 'type']));
export const MetadataParts = Type.Partial(Metadata);

const webhook = {
  name: name('the name of the webhook'),
  events: Type.Array(
    Type.Object(
      {
        event: Type.Object(
          {
            type: Type.Enum(['achievement'], { description: 'the kind of event' }),
            value: name('the name of an achievement of the file'),
          },
          { additionalProperties: false, description: 'events to report' },
        ),
      },
      { additionalProperties: false },
    ),
    { minItems: 1, maxItems: maxEvents, description: 'events to report' },
  ),
};

const GitHubWebhook = Type.Object(
  {
    ...webhook,
    type: Type.Enum(['github'], { description: 'comments in a discussion' }),
    metadata: Type.Object(
      {
        discussion: Type.Object(
          {
            repository: Type.String({
              // GitLab nests groups up to twenty levels deep.
              pattern: '^[A-Za-z0-9_.-]{1,255}(/[A-Za-z0-9_.-]{1,255}){1,20}$',
              description: 'owner/name',
            }),
            title: Type.String({ minLength: 1, maxLength: 300, description: 'the title of the discussion or issue' }),
          },
          { additionalProperties: false, description: 'where the comments go' },
        ),
      },
      { additionalProperties: false, description: 'where the comments go' },
    ),
  },
  { additionalProperties: false, description: 'comments in a discussion' },
);

const UrlWebhook = Type.Object(
  {
    ...webhook,
    type: Type.Enum(['http', 'slack', 'discord'], { description: 'messages to an address' }),
    metadata: Type.Object(
      {
        url: Type.String({
          pattern: '^https://[^\\s/?#@]+([/?#]\\S*)?$',
          maxLength: 2000,
          description: 'an address that begins with https://',
        }),
      },
      { additionalProperties: false, description: 'where the messages go' },
    ),
  },
  { additionalProperties: false, description: 'messages to an address' },
);

/** The schemas of webhooks: `github`, and `url` for all other types. */
export const webhookEntries = {
  github: Type.Object({ webhook: GitHubWebhook }, { additionalProperties: false }),
  url: Type.Object({ webhook: UrlWebhook }, { additionalProperties: false }),
};
export const webhookTypes = ['github', 'http', 'slack', 'discord'];

export const ConfigFile = Type.Object(
  {
    version: Type.Optional(
      Type.Unsafe<string>({ type: ['string', 'number'], description: 'the version of the language, 0.0.1' }),
    ),
    actions: Type.Optional(
      Type.Array(PointActionEntry, { maxItems: maxAchievements, description: 'rules that give points' }),
    ),
    achievements: Type.Array(AchievementEntry, { maxItems: maxAchievements, description: 'the achievements' }),
    webhooks: Type.Optional(
      Type.Array(Type.Union([webhookEntries.github, webhookEntries.url]), {
        maxItems: maxWebhooks,
        description: 'receivers of notifications of awards',
      }),
    ),
  },
  { additionalProperties: false, title: 'Achievements of a repository' },
);

export type AchievementFile = Static<typeof AchievementEntry>;
export type GitHubWebhookFile = Static<typeof webhookEntries.github>;
export type UrlWebhookFile = Static<typeof webhookEntries.url>;
