// Shows each change at once, by fetching the same page that submitting the form would show.
const form = document.getElementById('form');
/** The time, in ms, without input after which an update begins. */
const quietMs = 400;
/** Ids of the elements that the next page replaces. */
const outdated = new Set();
let timer;
/** The number of the newest update; older ones are dropped when their response arrives. */
let newest = 0;

function address() {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value !== '') fields.append(name, value);
  return `/cards?${fields}`;
}

async function update() {
  const number = ++newest;
  const at = address();
  const response = await fetch(at).catch(() => undefined);
  const text = response?.ok ? await response.text() : undefined;
  // After further input, only the page of the newest update is shown.
  if (text === undefined || number !== newest) return;
  const page = new DOMParser().parseFromString(text, 'text/html');
  const focused = document.activeElement?.id;
  for (const id of outdated) {
    const [old, now] = [document.getElementById(id), page.getElementById(id)];
    if (old && now) old.replaceChildren(...now.childNodes);
  }
  outdated.clear();
  if (focused) document.getElementById(focused)?.focus();
  history.replaceState(null, '', at);
  offerCopies();
}

function offerCopies() {
  for (const button of document.querySelectorAll('button.copy')) button.hidden = !navigator.clipboard;
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  outdated.add('result');
  void update();
});
form.addEventListener('input', (event) => {
  clearTimeout(timer);
  newest += 1;
  outdated.add('result');
  // Another card has other fields, and a trend sets its windows.
  if (event.target.id === 'card' || event.target.value === 'trend') outdated.add('form');
  timer = setTimeout(() => void update(), quietMs);
});
document.addEventListener('click', (event) => {
  const button = event.target.closest('button.copy');
  if (button) void copy(button);
});

async function copy(button) {
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).value);
  const label = button.textContent;
  button.textContent = button.dataset.copied;
  setTimeout(() => {
    button.textContent = label;
  }, 1500);
}
offerCopies();
