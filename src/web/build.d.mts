/** Builds the browser client into dist/web; returns the folders of the packages inside. */
export function buildWeb(): Promise<string[]>;
