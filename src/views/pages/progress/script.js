/**
 * Replaces the content of a page whose account is being looked up, as soon as the service reports that it is stored, and
 * that of a page whose repositories are being collected, as soon as all of them are.
 */

/** The pause, in ms, before the page is loaded again, which doubles after every 10 attempts up to the longest one. */
const pauseMs = 3000;
const longestPauseMs = 60_000;

begin(1);

/** @param {number} attempt */
function begin(attempt) {
  const waiting = document.querySelector('[data-progress]');
  if (waiting instanceof HTMLElement) follow(waiting.dataset['progress'] ?? '', attempt);
}

/**
 * @param {string} path
 * @param {number} attempt
 */
function follow(path, attempt) {
  const events = new EventSource(path);
  events.addEventListener('progress', ({ data }) => {
    const { isFailing = false, ...counts } = JSON.parse(data);
    showCounts(counts);
    // The page says since when its host fails.
    if (isFailing === (document.querySelector('[data-failing]') !== null)) return;
    events.close();
    fillIn(path, attempt).catch(() => {});
  });
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
    setTimeout(() => follow(path, attempt + 1), pauseAfter(attempt));
    return;
  }
  const main = page.querySelector('main');
  if (main !== null) {
    await renewCalendar(main, attempt);
    document.querySelector('main')?.replaceWith(main);
  }
  document.title = page.title;
  const isWaiting = main?.querySelector('[data-progress]') instanceof HTMLElement;
  if (isWaiting) setTimeout(() => begin(attempt + 1), pauseAfter(attempt));
}

/** @param {number} attempt */
function pauseAfter(attempt) {
  return Math.min(longestPauseMs, pauseMs * 2 ** Math.floor(attempt / 10));
}

/**
 * Fetches the calendar again, because browsers keep the former one: its file by the address without the fragment, the
 * drawn image by the whole address.
 * @param {Element} main
 * @param {number} attempt
 */
async function renewCalendar(main, attempt) {
  const former = document.querySelector('img.calendar');
  if (!(former instanceof HTMLImageElement) || former.currentSrc === '') return;
  await fetch(former.currentSrc, { cache: 'reload' }).catch(() => {});
  for (const source of main.querySelectorAll('picture:has(.calendar) source')) {
    source.setAttribute('srcset', `${source.getAttribute('srcset')}#${attempt}`);
  }
  const image = main.querySelector('img.calendar');
  image?.setAttribute('src', `${image.getAttribute('src')}#${attempt}`);
}

/** @param {{ complete: number, total: number }} counts */
function showCounts({ complete, total }) {
  const place = document.querySelector('[data-counts]');
  if (!(place instanceof HTMLElement)) return;
  const number = new Intl.NumberFormat(document.documentElement.lang);
  const text = place.dataset['counts'] ?? '';
  place.textContent = text.replace('{n}', number.format(complete)).replace('{total}', number.format(total));
}
