import { ForeignText } from './foreign-text.tsx';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Logo } from './logo.tsx';
import classes from './link-list.module.css';

interface LinkListProps {
  /** Accessible name of a list without a heading. */
  label?: string;
  /** Sets the column widths. */
  className?: string | undefined;
  children: ReactNode;
}

/** List of items that are links. */
export function LinkList({ label, className = '', children }: LinkListProps) {
  return (
    <ul className={`${classes.list} ${className}`} aria-label={label}>
      {children}
    </ul>
  );
}

interface LinkListItemProps {
  to: string;
  /** URL of the picture before the name. Without a URL, shows the initials. */
  logo?: string | null | undefined;
  /** Name for the initials, if it differs from the item's name. */
  logoOf?: string;
  name: string;
  /** Small text after the name. */
  small?: ReactNode;
  /** Text below the name, truncated after two lines. */
  below: ReactNode;
  /** Further content below, never truncated. */
  extra?: ReactNode;
  middle?: ReactNode;
  /** Chart between the middle and the end. Needs a column in the list's own style. */
  chart?: ReactNode;
  /** Status of the item with details. */
  end: ReactNode;
}

export function LinkListItem({
  to,
  logo = null,
  name,
  logoOf = name,
  small,
  below,
  extra,
  middle,
  chart,
  end,
}: LinkListItemProps) {
  return (
    <li>
      <Link to={to} className={classes.line}>
        <Logo url={logo} name={logoOf} />
        <span className={classes.words}>
          <span className={classes.name}>
            <ForeignText>{name}</ForeignText> {small !== undefined && <small>{small}</small>}
          </span>
          <span className={classes.below}>
            {typeof below === 'string' ? <ForeignText>{below}</ForeignText> : below}
          </span>
          {extra}
        </span>
        <span className={classes.middle}>{middle}</span>
        {chart}
        <span className={classes.end}>{end}</span>
      </Link>
    </li>
  );
}
