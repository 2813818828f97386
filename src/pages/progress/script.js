/**
 * Replaces the content of a page whose account is being looked up, as soon as the service reports that it is stored.
 */

const waiting = document.querySelector('[data-progress]');
const maxAttempts = 40;
const pauseMs = 3000;

if (waiting instanceof HTMLElement) follow(waiting.dataset['progress'] ?? '', 1);

/**
 * @param {string} path
 * @param {number} attempt
 */
function follow(path, attempt) {
  const events = new EventSource(path);
  events.addEventListener('progress', ({ data }) => showCounts(JSON.parse(data)));
  events.addEventListener('ready', () => {
    events.close();
    // Without a response the link of the page remains.
    fillIn(path, attempt).catch(() => {});
  });
}

/**
 * @param {string} path
 * @param {number} attempt
 */
async function fillIn(path, attempt) {
  const response = await fetch(location.href, { headers: { accept: 'text/html' } });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  if (response.status === 202) {
    if (attempt < maxAttempts) setTimeout(() => follow(path, attempt + 1), pauseMs);
    return;
  }
  const main = page.querySelector('main');
  if (main !== null) document.querySelector('main')?.replaceWith(main);
  document.title = page.title;
}

/** @param {{ complete: number, total: number }} counts */
function showCounts({ complete, total }) {
  const place = document.querySelector('[data-counts]');
  if (!(place instanceof HTMLElement)) return;
  const number = new Intl.NumberFormat(document.documentElement.lang);
  const text = place.dataset['counts'] ?? '';
  place.textContent = text.replace('{n}', number.format(complete)).replace('{total}', number.format(total));
}
