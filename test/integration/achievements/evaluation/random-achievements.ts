import fc from 'fast-check';
import {
  type Action,
  type Actor,
  actionsByActor,
  actors,
  agingActions,
  type Field,
  type FieldType,
  fieldsByAction,
  fieldTypes,
} from '../../../../src/recognition/rules/conditions/vocabulary.ts';
import { days, emojis, files, labels, names, reasons, states } from './world.ts';

/** Generates triggers and point actions as text, as in a file: all of them mean something. */
export interface TriggerText {
  actor: Actor;
  action: Action;
  condition: string;
}

export interface PointActionText {
  name: string;
  rules: (TriggerText & { value: number })[];
}

export interface AchievementText {
  /** The day of January 2024 at whose end the achievement is evaluated. */
  day: number | null;
  groups: TriggerText[][];
}

export const pointNames = ['prs', 'more points'];
const comparison = fc.constantFrom('=', '!=', '>', '>=', '<', '<=');
const equality = fc.constantFrom('=', '!=');
const small = fc.nat({ max: 4 });
const twoDigits = (number: number): string => String(number).padStart(2, '0');

const date = fc
  .record({
    day: fc.integer({ min: 1, max: days }),
    time: fc.constantFrom('', ' 00:00', ' 12:00', ' 15:00:00'),
    isYearFirst: fc.boolean(),
    quote: fc.constantFrom('', "'", '"'),
  })
  .map(({ day, time, isYearFirst, quote }) => {
    const text = isYearFirst ? `2024-01-${twoDigits(day)}${time}` : `01-${twoDigits(day)}-2024${time}`;
    return `${quote}${text}${quote}`;
  });

function set(values: string[], anyCase: boolean): fc.Arbitrary<string> {
  const value = fc
    .tuple(fc.constantFrom(...values), anyCase ? fc.boolean() : fc.constant(false))
    .map(([text, isUpper]) => {
      const written = isUpper ? text.toUpperCase() : text;
      return written.includes('"') ? `'${written}'` : `"${written}"`;
    });
  return fc
    .tuple(fc.constantFrom('[]', '![]', '{}', '!{}'), fc.array(value, { minLength: 1, maxLength: 3 }))
    .map(([brackets, items]) => `${brackets.slice(0, -1)}${items.join(', ')}${brackets.slice(-1)}`);
}

const valuesOfType: Readonly<Record<Exclude<FieldType, 'points'>, fc.Arbitrary<string>>> = {
  flag: fc.tuple(equality, fc.boolean()).map((parts) => parts.join(' ')),
  number: fc.tuple(comparison, small).map((parts) => parts.join(' ')),
  date: fc.tuple(comparison, date).map((parts) => parts.join(' ')),
  reason: fc.tuple(equality, fc.constantFrom(...reasons)).map((parts) => parts.join(' ')),
  state: fc.tuple(equality, fc.constantFrom(...states)).map((parts) => parts.join(' ')),
  labels: set([...labels, 'unheard of'], true).map((text) => `in ${text}`),
  emojis: set(emojis, true).map((text) => `in ${text}`),
  logins: set([...names.slice(0, 5), 'nobody'], true).map((text) => `in ${text.replaceAll('[BOT]', '[bot]')}`),
  paths: set(files, false).map((text) => `in ${text}`),
};

function itemTerm(action: Action): fc.Arbitrary<string> {
  const fields: readonly Field[] = fieldsByAction[action];
  const terms = fields.flatMap((field) => {
    const type: FieldType = fieldTypes[field];
    return type === 'points' ? [] : [valuesOfType[type].map((value) => `${field} ${value}`)];
  });
  if (agingActions.includes(action)) {
    const unit = fc.constantFrom('seconds', 'minutes', 'hours', 'days');
    const size = fc.constantFrom(0, 1, 3, 9, 24);
    terms.push(fc.tuple(unit, comparison, size).map(([unit, operator, size]) => `age(${unit}) ${operator} ${size}`));
  }
  return fc.oneof(...terms);
}

function tree(term: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.letrec<{ tree: string }>((tie) => {
    const joined = (sign: string): fc.Arbitrary<string> =>
      fc.array(tie('tree'), { minLength: 2, maxLength: 3 }).map((parts) => `(${parts.join(sign)})`);
    return { tree: fc.oneof({ maxDepth: 3 }, { weight: 3, arbitrary: term }, joined(' & '), joined(' | ')) };
  }).tree;
}

function personTerm(action: Action, isPointAction: boolean): fc.Arbitrary<string> {
  const counted = fc.oneof(fc.constant(''), tree(itemTerm(action)));
  const count = fc
    .tuple(counted, comparison, small)
    .map(([inner, operator, size]) => `count(${inner}) ${operator} ${size}`);
  if (isPointAction) return count;
  const actions = fc.constantFrom('prs', '"more points"', 'prs, "more points"');
  const size = fc.nat({ max: 25 });
  const sum = fc
    .tuple(actions, comparison, size)
    .map(([actions, operator, size]) => `sum(${actions}) ${operator} ${size}`);
  const rank = fc
    .tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom(' ', ' & '), actions)
    .map(([rank, sign, actions]) => `rank(${rank})${sign}sum(${actions})`);
  if (action !== 'point') return fc.oneof({ weight: 4, arbitrary: count }, sum, rank);
  return fc.oneof(
    sum,
    rank,
    fc.tuple(comparison, size).map(([operator, size]) => `points ${operator} ${size}`),
  );
}

export function trigger(isPointAction: boolean): fc.Arbitrary<TriggerText> {
  const pairs = actors.flatMap((actor) =>
    actionsByActor[actor]
      .filter((action) => !isPointAction || action !== 'point')
      .map((action) => {
        const terms = fc.oneof(itemTerm(action), personTerm(action, isPointAction));
        return fc.oneof(tree(itemTerm(action)), tree(terms)).map((condition) => ({ actor, action, condition }));
      }),
  );
  return fc.oneof(...pairs);
}

export const randomPointActions: fc.Arbitrary<PointActionText[]> = fc.tuple(
  ...pointNames.map((name) =>
    fc
      .array(fc.tuple(trigger(true), fc.integer({ min: 1, max: 10 })), { minLength: 1, maxLength: 2 })
      .map((rules) => ({ name, rules: rules.map(([rule, value]) => Object.assign(rule, { value })) })),
  ),
);

export const randomAchievement: fc.Arbitrary<AchievementText> = fc.record({
  day: fc.option(fc.integer({ min: 1, max: days }), { freq: 3 }),
  groups: fc.array(fc.array(trigger(false), { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 }),
});
