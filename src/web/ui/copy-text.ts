/** Puts a text on the clipboard; false where the device does not let it. On plain http only the old way is there. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyFromField(text);
  }
}

/** Selects the text in a field that is there for as long: inside an open dialog, since the rest takes no focus then. */
function copyFromField(text: string): boolean {
  const { activeElement } = document;
  const field = document.createElement('textarea');
  field.value = text;
  (document.querySelector('dialog:modal') ?? document.body).append(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  if (activeElement instanceof HTMLElement) activeElement.focus();
  return isDone;
}
