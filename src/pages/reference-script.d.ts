/** Runs in the browser only; see reference-script.js. */
export function reference(): void;
