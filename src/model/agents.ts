/**
 * A program that writes code together with people. Its account is a bot in responses, even if it is an ordinary user
 * account at its host, and `type=agent` lists it. Programs that update dependencies, such as Dependabot and Renovate,
 * are bots, not agents.
 */
interface Agent {
  /** Null: accounts of this name are agents at every host. */
  provider: string | null;
  /** In lower case. */
  name: string;
  /** The day on which the entry was added to this list. */
  since: string;
}

/** Kinds of accounts that a list can be narrowed to: `bot` leaves out agents. */
export const personTypes = ['user', 'bot', 'agent'] as const;
export type PersonType = (typeof personTypes)[number];

/** https://github.com/apps/NAME, or https://github.com/NAME without the suffix. */
const ofGitHub = [
  'chatgpt-codex-connector[bot]',
  'claude',
  'claude[bot]',
  'coderabbitai[bot]',
  'copilot',
  'copilot-pull-request-reviewer[bot]',
  'copilot-swe-agent[bot]',
  'cursor[bot]',
  'cursoragent',
  'devin-ai-integration[bot]',
  'gemini-code-assist[bot]',
  'google-labs-jules[bot]',
  'sourcery-ai[bot]',
  // https://github.com/chaoss/disclosure/blob/03bcc268/detection/constants.go
  'amazon-q-developer[bot]',
  'anthropic-claude[bot]',
  'claude-code-action[bot]',
  'cline[bot]',
  'codiumai-pr-agent-pro[bot]',
  'continue[bot]',
  'copilot[bot]',
  'jetbrains-ai[bot]',
  'openai-codex[bot]',
  'sourcegraph-cody[bot]',
];

const appSuffix = '[bot]';

/**
 * All agents. A name with the suffix of Apps is that of a program at every host: GitHub, its Enterprise Servers and
 * ghe.com have Apps, and no other host allows such a name. GitLab Duo is part of every GitLab (gitlabhq/gitlabhq,
 * lib/users/internal.rb).
 */
export const agents: readonly Agent[] = [
  ...ofGitHub.map((name) => ({ provider: name.endsWith(appSuffix) ? null : 'github', name, since: '2026-11-23' })),
  { provider: null, name: 'gitlabduo', since: '2026-11-28' },
];

/**
 * Addresses that agents write into commits, most of them as co-authors. Sources: detection/constants.go of
 * https://github.com/chaoss/disclosure; aider/repo.py of https://github.com/Aider-AI/aider; src/services/settings.ts of
 * https://github.com/OpenHands/OpenHands; .mailmap of https://github.com/gitbutlerapp/gitbutler (Codex).
 */
const addresses: ReadonlySet<string> = new Set([
  'aider@aider.chat',
  'codex@openai.com',
  'copilot@github.com',
  'cursoragent@cursor.com',
  'noreply@aider.chat',
  'noreply@anthropic.com',
  'noreply@codebuff.com',
  'noreply@freebuff.com',
  'noreply@openai.com',
  'openhands@all-hands.dev',
]);

/** The addresses that GitHub gives to accounts; old ones have no number. */
const hiddenAddress = /^(?:\d+\+)?([^@+]+)@users\.noreply\.github\.com$/;
const gitHubNames: ReadonlySet<string> = new Set(ofGitHub);

/** Returns the type of an account in responses: agents are never people. */
export function typeOfAccount<Type extends string>(provider: string, name: string, type: Type): Type | 'bot' {
  return isAgent(provider, name) ? 'bot' : type;
}

function isAgent(provider: string, name: string): boolean {
  return agents.some((agent) => (agent.provider ?? provider) === provider && agent.name === name.toLowerCase());
}

/**
 * Returns whether an address is that of an agent.
 * @param email in lower case.
 */
export function isAgentAddress(email: string): boolean {
  return addresses.has(email) || gitHubNames.has(hiddenAddress.exec(email)?.[1] ?? '');
}
