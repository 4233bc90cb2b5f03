/** A title within a sentence, cut where it is long: `“Call Ada”`. */
export const quoted = (title: string): string => `“${title.replace(/^(.{59}).{2,}$/su, '$1…')}”`;
