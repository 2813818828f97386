import type { CounterName } from '../../../model/counters.ts';

/** Icons of 16 by 16 pixels, drawn in lines. */
export const icons: Readonly<Record<CounterName, string>> = {
  commits: '<circle cx="8" cy="8" r="2.75"/><path d="M1 8h4.25M10.75 8H15"/>',
  pull_requests:
    '<circle cx="4" cy="3.5" r="1.75"/><circle cx="4" cy="12.5" r="1.75"/><circle cx="12" cy="12.5" r="1.75"/><path d="M4 5.25v5.5M12 10.75V6a2.5 2.5 0 0 0-2.5-2.5H7.75M9.5 1.5l-2 2 2 2"/>',
  pull_requests_merged:
    '<circle cx="4" cy="3.5" r="1.75"/><circle cx="4" cy="12.5" r="1.75"/><circle cx="12" cy="8" r="1.75"/><path d="M4 5.25v5.5M4 5.25C4.5 7 6.5 8 10.25 8"/>',
  reviews: '<path d="M2 3.25h12v8H7.5L4.5 14v-2.75H2z"/><path d="M5.5 7.25l1.75 1.75L10.75 5.5"/>',
  issues: '<circle cx="8" cy="8" r="6.25"/><circle cx="8" cy="8" r=".9"/>',
  issues_closed: '<circle cx="8" cy="8" r="6.25"/><path d="M5.25 8.25l2 2 3.75-4"/>',
  discussions: '<path d="M1.5 2.5h9v6.25H6L3.5 11V8.75h-2zM12.5 6h2v6.25h-2v2L10 12.25H7"/>',
  discussions_answered: '<path d="M2 3h12v8.25H8L5 14v-2.75H2z"/><path d="M5.5 7h5"/>',
  contributed_to:
    '<path d="M3 13V3.25A1.75 1.75 0 0 1 4.75 1.5H13v9.5H4.75A1.75 1.75 0 0 0 3 12.75 1.75 1.75 0 0 0 4.75 14.5H13V11M6 4.5h4"/>',
  stars: '<path d="M8 1.75l1.95 3.95 4.3.65-3.1 3.05.7 4.35L8 11.7l-3.85 2.05.7-4.35-3.1-3.05 4.3-.65z"/>',
};
