/** The most characters of the title of a task, a series or an item. */
export const MAX_TITLE = 500;

/** A text as titles can have it: a run of line breaks, tabs and other control characters is one space. */
export const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ');
