/**
 * Whether a keystroke is an input method's. Safari sends the one that ends a composition after it, and tells so by its
 * code alone.
 */
export const isComposing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229;
