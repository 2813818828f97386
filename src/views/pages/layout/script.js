/**
 * Shows the text that explains a number while the pointer or the focus is on the number, or the pointer is on the text.
 * Escape closes it, as it closes any popover (WCAG 1.4.13). Without scripts, and where nothing hovers, styles show texts in
 * their places.
 */

/** The time, in ms, in which a pointer may reach the text from its number. */
const graceMs = 300;
const numbers = '.number[aria-describedby]';
/** Elements that belong to one number, so that the pointer need not meet its digits. */
const areas = `.counters div, .tipped, ${numbers}`;

/** The element whose text is open, or was closed by Escape since the pointer or the focus came to it. @type {Element | null} */
let current = null;
/** @type {HTMLElement | null} */
let open = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let leaving;

document.addEventListener('pointerover', ({ target }) => {
  if (!(target instanceof Element)) return;
  const area = target.closest(areas);
  if (area !== null && area !== current) show(area);
  // A text that Escape closed opens again however fast the pointer comes back.
  else if (area === null && open?.matches(':popover-open') === false) hideUnlessHeld();
  else leave();
});
document.addEventListener('pointerout', ({ relatedTarget }) => {
  if (relatedTarget === null) leave();
});
document.addEventListener('focusin', ({ target }) => {
  if (target instanceof Element && target.matches(`${numbers}:focus-visible`)) show(target.closest(areas) ?? target);
});
document.addEventListener('focusout', leave);

/** @param {Element} area */
function show(area) {
  hide();
  const number = area.matches(numbers) ? area : area.querySelector(numbers);
  const tip = area.querySelector('.tip') ?? document.getElementById(number?.getAttribute('aria-describedby') ?? '');
  if (!(tip instanceof HTMLElement) || matchMedia('(hover: none)').matches) return;
  current = area;
  open = tip;
  const source = number ?? area;
  if (source instanceof HTMLElement) tip.showPopover({ source });
}

/** Closes the text in a moment, unless the pointer or the focus is on it or on its number by then. */
function leave() {
  clearTimeout(leaving);
  leaving = setTimeout(hideUnlessHeld, graceMs);
}

function hideUnlessHeld() {
  const isHeld = [current, open].some((one) => one?.matches(':hover, :focus-visible, :has(:focus-visible)'));
  if (!isHeld) hide();
}

function hide() {
  clearTimeout(leaving);
  open?.hidePopover();
  current = null;
  open = null;
}
