/**
 * What the reference does in the browser beyond being read: its filter. Sent there as text, hence JavaScript, and hence
 * nothing from outside this function.
 */
export function reference() {
  const filter = document.getElementById('filter');
  const contents = document.getElementById('contents');
  const found = document.getElementById('found');
  const operations = document.querySelectorAll('article[data-find]:not([data-shape])');

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
  for (const block of document.querySelectorAll('pre')) addCopy(block);

  function addCopy(block) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => {
      copy(block).then(
        () => say(button, 'Copied'),
        () => say(button, 'Press Ctrl+C'),
      );
    });
    block.before(button);
  }

  /** Over plain http browsers give pages no clipboard: the text is selected, to be copied by hand where need be. */
  function copy(block) {
    if (navigator.clipboard) return navigator.clipboard.writeText(block.textContent);
    getSelection().selectAllChildren(block);
    return document.execCommand('copy') ? Promise.resolve() : Promise.reject();
  }

  function say(button, text) {
    button.textContent = text;
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2_000);
  }

  function show() {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const item of document.querySelectorAll('[data-find]')) {
      item.hidden = !words.every((word) => item.dataset.find.includes(word));
    }
    for (const item of document.querySelectorAll('[data-of]')) {
      item.hidden = document.getElementById(item.dataset.of).hidden;
    }
    for (const group of document.querySelectorAll('[data-group]')) {
      group.hidden = !group.querySelector('[data-find]:not([hidden]), [data-of]:not([hidden])');
    }
    for (const rest of document.querySelectorAll('[data-rest]')) rest.hidden = words.length > 0;
    const seen = [...operations].filter((operation) => !operation.hidden).length;
    found.textContent = words.length > 0 ? `${seen} of ${operations.length} operations` : '';
  }
}
