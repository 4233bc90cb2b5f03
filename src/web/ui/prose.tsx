import { linkParts } from '../text/links.ts';

/** An address within a text, opened elsewhere. */
export const Link = ({ href, text }: { href: string; text: string }) => (
  <a href={href} target="_blank" rel="noopener noreferrer nofollow">
    {text}
  </a>
);

/** A text in which addresses are links. */
export const Linked = ({ text }: { text: string }) => (
  <>
    {linkParts(text).map(({ text: part, href }, index) =>
      href === undefined ? part : <Link key={index} href={href} text={part} />,
    )}
  </>
);
