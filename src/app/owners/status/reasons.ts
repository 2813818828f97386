/**
 * The reasons why data of an account is missing, as its owner is shown them. They replace the host's message, which may
 * name the operator's addresses, scopes and quota (docs/decisions/0031-settings-status-and-doctor.md).
 */
export const ownersReasons = [
  'single_sign_on',
  'ip_allow_list',
  'app_restrictions',
  'denied',
  'absent',
  'unreadable',
  'unavailable',
  'other',
] as const;
export type OwnersReason = (typeof ownersReasons)[number];

/** Settings of an organization that keep the service out, by the texts with which hosts refuse requests. */
const settings: readonly (readonly [RegExp, OwnersReason])[] = [
  [/\bSAML\b/i, 'single_sign_on'],
  [/\bIP allow list\b/i, 'ip_allow_list'],
  [/\bOAuth App access restrictions\b/i, 'app_restrictions'],
];

const reasonByCode: Readonly<Record<string, OwnersReason | undefined>> = {
  provider_denied: 'denied',
  refused: 'denied',
  not_found: 'absent',
  provider_invalid_response: 'unreadable',
  unreadable: 'unreadable',
  provider_unavailable: 'unavailable',
  // The owner must not see that the operator's quota is used up.
  provider_rate_limited: 'unavailable',
};

/**
 * Returns the reason that the owner is shown.
 * @param code the code of a stream's error, or the reason of a skipped item.
 * @param hostMessage the host's message; empty when it sent none.
 */
export function ownersReason(code: string, hostMessage: string): OwnersReason {
  const setting = settings.find(([pattern]) => pattern.test(hostMessage));
  return setting?.[1] ?? reasonByCode[code] ?? 'other';
}

export const messages: Readonly<Record<OwnersReason, string>> = {
  single_sign_on:
    "The organization's SAML single sign-on does not let the service in: authorize the App or the token there.",
  ip_allow_list:
    "The organization's IP allow list does not let the service in: ask its operator for the address to add.",
  app_restrictions: "The organization's access restrictions for apps do not let the service in: approve it there.",
  denied: 'The code host does not let the service read this.',
  absent: 'The code host has no such part; it may be switched off there.',
  unreadable: 'The service cannot read what the code host sends; its operator knows.',
  unavailable: 'The code host cannot be called just now; the service tries again.',
  other: 'Reading failed; the operator of the service knows why.',
};
