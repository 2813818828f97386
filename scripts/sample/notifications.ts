import { toReceiver } from '../../src/recognition/notifications/notification.ts';

const target = { url: 'https://chat.sample.invalid/hooks/garden' };
const receiver = toReceiver('github', 'http', target);

/**
 * Returns statements that store messages about awards of the garden: one that was sent, and one whose receiver failed
 * until the service gave up, so that there is a failure to look into.
 */
export function notificationStatements(): string[] {
  return [
    insert('First seedling', { place: 2, state: 'sent', attempts: 1, error: null }),
    insert('Harvest of 2026', { place: 1, state: 'dead', attempts: 9, error: 'responded with status 503' }),
  ];
}

interface Outcome {
  /** The place in the order of ids, in which messages are listed. */
  place: number;
  state: 'sent' | 'dead';
  attempts: number;
  error: string | null;
}

function insert(achievement: string, { place, state, attempts, error }: Outcome): string {
  return `
    insert into notifications (id, award_id, account_id, repository_id, webhook, kind, target, receiver, content, state,
      attempts, error, created_at, next_attempt_at, last_attempt_at, give_up_at, ended_at)
    select '01936000-0000-7000-8000-${String(place).padStart(12, '0')}', w.id, w.account_id, r.id, 'garden-chat', 'http', '${JSON.stringify(target)}',
      '${receiver}', jsonb_build_object('person', a.name, 'achievement', h.name, 'repository', o.name || '/' || r.name,
        'awardedAt', to_char(w.awarded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')),
      '${state}', ${attempts}, ${error === null ? 'null' : `'${error}'`}, w.created_at - interval '3 days', w.created_at,
      w.created_at, w.created_at, w.created_at
    from awards w join achievements h on h.id = w.achievement_id join repositories r on r.id = h.repository_id
      join accounts o on o.id = r.owner_id join accounts a on a.id = w.account_id
    where o.name = 'sample-garden' and h.name = '${achievement}' order by w.awarded_at desc limit 1`;
}
