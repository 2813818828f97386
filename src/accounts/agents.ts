/**
 * Accounts of programs that write with people, by their names at their host. They are bots in responses, and `type=agent`
 * lists them. Some of them are ordinary user accounts there.
 */
export interface Agent {
  provider: string;
  /** In lower case. */
  name: string;
  /** The day on which the entry was added to this list. */
  since: string;
}

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
];

export const agents: readonly Agent[] = ofGitHub.map((name) => ({ provider: 'github', name, since: '2026-11-23' }));

/** Returns the type of an account in responses: agents are never people. */
export function typeOfAccount<Type extends string>(provider: string, name: string, type: Type): Type | 'bot' {
  return isAgent(provider, name) ? 'bot' : type;
}

function isAgent(provider: string, name: string): boolean {
  return agents.some((agent) => agent.provider === provider && agent.name === name.toLowerCase());
}
