import { linkParts } from '../text/links.ts';

/** Plain text with its line breaks and links; nothing of it is ever HTML. */
export const Prose = ({ text }: { text: string }) => (
  <div class="prose">
    {text.split(/\n{2,}/).map((paragraph, index) => (
      <p key={index} dir="auto">
        <Linked text={paragraph} />
      </p>
    ))}
  </div>
);

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
