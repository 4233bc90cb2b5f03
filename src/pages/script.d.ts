/** Runs a page in the browser; sent there as text. */
export function page(): void;
