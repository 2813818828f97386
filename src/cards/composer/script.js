// Shows each change at once, by asking for the same page that sending the form would show.
const form = document.getElementById('form');
const quietMs = 400;
let timer;
let asked = 0;

function address() {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value !== '') fields.append(name, value);
  return `/cards?${fields}`;
}

async function update(parts) {
  const turn = ++asked;
  const at = address();
  const answer = await fetch(at).catch(() => undefined);
  if (!answer?.ok || turn !== asked) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const id of parts) {
    const [old, now] = [document.getElementById(id), page.getElementById(id)];
    if (old && now) old.replaceChildren(...now.childNodes);
  }
  history.replaceState(null, '', at);
  offerCopies();
}

function offerCopies() {
  for (const button of document.querySelectorAll('button.copy')) button.hidden = !navigator.clipboard;
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void update(['result']);
});
form.addEventListener('input', (event) => {
  clearTimeout(timer);
  // Another card has other fields.
  if (event.target.id === 'card') void update(['form', 'result']).then(() => document.getElementById('card').focus());
  else timer = setTimeout(() => void update(['result']), quietMs);
});
document.addEventListener('click', (event) => {
  const button = event.target.closest('button.copy');
  if (button) void copy(button);
});

async function copy(button) {
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).value);
  const label = button.textContent;
  button.textContent = 'Copied';
  setTimeout(() => {
    button.textContent = label;
  }, 1500);
}
offerCopies();
