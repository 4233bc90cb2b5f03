import { Cut } from './cut.tsx';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';

interface Props {
  href: string;
  icon: IconName;
  title: string;
  count?: number | undefined;
}

/** A list item that leads somewhere, as large as a row. */
export const LinkRow = ({ href, icon, title, count }: Props) => (
  <li>
    <a class="link-row" href={href}>
      <Icon name={icon} />
      <Cut>{title}</Cut>
      {count !== undefined && count > 0 && <span class="count push">{count}</span>}
    </a>
  </li>
);
