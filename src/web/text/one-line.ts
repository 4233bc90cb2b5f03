/** A text as titles can have it: a run of line breaks, tabs and other control characters is one space. */
export const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ');
