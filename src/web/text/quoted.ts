/** A title within a sentence, cut where it is long: `“Call Ada”`. */
export const quoted = (title: string): string => `“${title.length > 60 ? `${title.slice(0, 59)}…` : title}”`;
