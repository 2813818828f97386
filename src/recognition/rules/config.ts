import type { Checked } from './conditions/terms.ts';
import type { Action, Actor } from './conditions/vocabulary.ts';

/** The contents of a file of achievements, without the parts that have errors. */
export interface Config {
  pointActions: PointAction[];
  achievements: Achievement[];
  webhooks: Webhook[];
}

/** An achievement, identified by its name. */
export interface Achievement {
  name: string;
  /** An http(s) URL, or a path from the top of the repository; empty when there is none. */
  icon: string;
  description: string;
  /**
   * Null when it can be earned at any time. Otherwise the first moment after the day at whose end all accounts are
   * evaluated, once.
   */
  evaluateAt: Date | null;
  /** Groups of triggers: for a person, at least one trigger of each group has to hold. */
  triggers: Trigger[][];
}

export interface Trigger {
  actor: Actor;
  action: Action;
  condition: Checked;
  /** True: reviews and comments of people on items of their own do not count. */
  withoutOwn?: boolean;
  /** The condition as written; offsets in `condition` refer to this text. */
  text: string;
}

/** Points under one name; each of its rules gives some. */
export interface PointAction {
  name: string;
  rules: PointRule[];
}

/** A rule that is earned once if its condition has an aggregate, otherwise once for each contribution. */
export interface PointRule extends Trigger {
  value: number;
}

export type Webhook = WebhookEvents &
  ({ type: 'github'; repository: string; title: string } | { type: 'http' | 'slack' | 'discord'; url: string });

interface WebhookEvents {
  name: string;
  /** The names of the achievements whose awards are sent. */
  achievements: readonly string[];
}
