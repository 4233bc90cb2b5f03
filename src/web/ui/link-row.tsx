import { hrefOf } from '../shell/navigation.ts';
import { Cut } from './cut.tsx';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';

interface Props {
  /** An address below `/app`. */
  to: string;
  icon: IconName;
  title: string;
  count?: number | undefined;
}

/** A list item that leads somewhere, as large as a row. */
export const LinkRow = ({ to, icon, title, count }: Props) => (
  <li>
    <a class="link-row" href={hrefOf(to)}>
      <Icon name={icon} />
      <Cut>{title}</Cut>
      {count !== undefined && count > 0 && <span class="count push">{count}</span>}
    </a>
  </li>
);
