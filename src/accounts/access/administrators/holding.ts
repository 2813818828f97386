const dayMs = 86_400_000;
/** The time, in ms, from the host's last confirmation until a holding is suspended, where the service can check. */
export const unansweredForMs = 7 * dayMs;
/** The time, in ms, from the holder's last proof until a holding ends, where no credential of the service can check. */
export const uncheckedForMs = 30 * dayMs;
/** The time, in ms, for which a proof of a person counts as recent: it allows changes that nothing else confirms. */
export const recentForMs = 3_600_000;
/** The longest life of a key, in ms. */
export const keyLifeMs = 400 * dayMs;

export const holdingStates = ['active', 'suspended', 'ended'] as const;
type HoldingState = (typeof holdingStates)[number];

/** The holder and the end of a key or embed link of an account. */
export interface Holding {
  /** The immutable id of the person who registered it; null: not known. */
  holder: string | null;
  /** `PROVIDER/NAME` of the holder at the registration. */
  holderName: string | null;
  account: { type: string; externalId: string };
  /** The time at which it ends at the latest; null: it has no such time. */
  endsAt: Date | null;
  /** The time at which its end was recorded; null: it was not. */
  endedAt: Date | null;
  /** The last confirmation that the holder administers the organization; null: there is none. */
  confirmation: { confirmedAt: Date; canCheck: boolean | null } | null;
}

interface AssessedHolding {
  state: HoldingState;
  /** The time at which it ends, or ended; null: it has no such time. */
  endsAt: Date | null;
  /** The time until which it works without a new confirmation; null: it works without one. */
  worksUntil: Date | null;
}

/** Returns whether a holding belongs to the account itself, which needs no confirmation. */
function isOwn({ holder, account }: Pick<Holding, 'holder' | 'account'>): boolean {
  return account.type !== 'organization' && holder === account.externalId;
}

/**
 * Returns the state of a holding. A holding of an administrator is suspended 7 days after the host's last confirmation,
 * until the next one. Where no credential of the service can check, it ends 30 days after the holder's last proof. A
 * holding of an unknown holder lasts until its end.
 */
export function assessHolding(holding: Holding, now: Date): AssessedHolding {
  const { holder, confirmation, endedAt } = holding;
  if (endedAt !== null) return { state: 'ended', endsAt: endedAt, worksUntil: endedAt };
  const needsConfirmation = holder !== null && !isOwn(holding);
  const { confirmedAt = null, canCheck = null } = (needsConfirmation ? confirmation : null) ?? {};
  const unchecked = canCheck === false ? later(confirmedAt, uncheckedForMs) : null;
  const unanswered = canCheck === false ? null : later(confirmedAt, unansweredForMs);
  const endsAt = earliest(holding.endsAt, unchecked);
  const worksUntil = earliest(endsAt, unanswered);
  if (endsAt !== null && endsAt <= now) return { state: 'ended', endsAt, worksUntil: endsAt };
  const isConfirmed = !needsConfirmation || (confirmedAt !== null && (unanswered === null || unanswered > now));
  return { state: isConfirmed ? 'active' : 'suspended', endsAt, worksUntil };
}

function later(at: Date | null, byMs: number): Date | null {
  return at && new Date(at.getTime() + byMs);
}

function earliest(left: Date | null, right: Date | null): Date | null {
  if (left === null || right === null) return left ?? right;
  return left < right ? left : right;
}

/** The columns of a key or link from which its holding is read, joined with its account and its administrator. */
export interface HoldingColumns {
  holder: string | null;
  holder_name: string | null;
  ends_at: Date | null;
  ended_at: Date | null;
  account_type: string;
  account_external_id: string;
  confirmed_at: Date | null;
  can_check: boolean | null;
}

export function toHolding(row: HoldingColumns): Holding {
  return {
    holder: row.holder,
    holderName: row.holder_name,
    account: { type: row.account_type, externalId: row.account_external_id },
    endsAt: row.ends_at,
    endedAt: row.ended_at,
    confirmation: row.confirmed_at && { confirmedAt: row.confirmed_at, canCheck: row.can_check },
  };
}
