/**
 * What the reference does in the browser beyond being read: its filter. Sent there as text, hence JavaScript, and hence
 * nothing from outside this function.
 */
export function reference() {
  const filter = document.getElementById('filter');
  const contents = document.getElementById('contents');
  const found = document.getElementById('found');
  const operations = document.querySelectorAll('article[data-find]');

  filter.addEventListener('input', show);
  filter.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') filter.value = '';
    if (key === 'Escape') show();
  });
  contents.addEventListener('click', ({ target }) => {
    if (target.closest('a') && contents.matches(':popover-open')) contents.hidePopover();
  });
  // A browser that comes back to the page brings the old words into the box, and tells nobody.
  show();

  function show() {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const item of document.querySelectorAll('[data-find]')) {
      item.hidden = !words.every((word) => item.dataset.find.includes(word));
    }
    for (const group of document.querySelectorAll('[data-group]')) {
      group.hidden = !group.querySelector('[data-find]:not([hidden])');
    }
    for (const rest of document.querySelectorAll('[data-rest]')) rest.hidden = words.length > 0;
    const seen = [...operations].filter((operation) => !operation.hidden).length;
    found.textContent = words.length > 0 ? `${seen} of ${operations.length} operations` : '';
  }
}
