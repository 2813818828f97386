import type { Checked } from './conditions/checked.ts';
import type { Action, Actor } from './conditions/vocabulary.ts';

/** What a file of achievements says, as far as it is without errors. */
export interface Config {
  pointActions: PointAction[];
  achievements: Achievement[];
  webhooks: Webhook[];
}

/** Known by its name. */
export interface Achievement {
  name: string;
  /** An http(s) address, or a path from the top of the repository; empty when there is none. */
  icon: string;
  description: string;
  /** Null: earned at any time. Else the first moment behind the day at whose end everybody is judged, once. */
  judgedAt: Date | null;
  /** Of each inner list one has to hold for a person. */
  triggers: Trigger[][];
}

export interface Trigger {
  actor: Actor;
  action: Action;
  condition: Checked;
  /** As it is written; the places in `condition` are places in it. */
  text: string;
}

/** Points under one name; each of its rules gives some. */
export interface PointAction {
  name: string;
  rules: PointRule[];
}

/** With an aggregate in its condition it is earned once, else once for each contribution. */
export interface PointRule extends Trigger {
  value: number;
}

export type Webhook = WebhookEvents &
  ({ type: 'github'; repository: string; title: string } | { type: 'http' | 'slack' | 'discord'; url: string });

interface WebhookEvents {
  name: string;
  /** Names of achievements; each is told when it is awarded. */
  achievements: string[];
}
