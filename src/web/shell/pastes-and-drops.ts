import { showToast } from './toasts.ts';

/** Lets no file that is dropped take the place of the page, with what was typed there: no field takes any. */
export function startRejectingDrops(): void {
  document.addEventListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'none';
  });
}

/**
 * Says so where a browser cuts what is pasted to the length of its field, or takes nothing since it is a file or
 * picture: it does that without a word.
 */
export function startTellingPastes(): void {
  document.addEventListener('paste', ({ target: field, clipboardData, defaultPrevented }) => {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return;
    const { maxLength, value, selectionStart, selectionEnd } = field;
    if (defaultPrevented) return;
    const pasted = clipboardData?.getData('text/plain').replaceAll('\r\n', '\n') ?? '';
    if (pasted === '' && clipboardData?.files.length)
      showToast('Only text can be pasted here: a link to a file or picture, not the file.');
    if (maxLength < 0) return;
    const rest = value.length - ((selectionEnd ?? 0) - (selectionStart ?? 0));
    if (rest + pasted.length > maxLength)
      showToast(`What you pasted was cut: there is room for ${maxLength.toLocaleString('en')} characters.`);
  });
}
