import { ForeignText } from './foreign-text.tsx';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Logo } from './logo.tsx';
import classes from './link-list.module.css';

interface LinkListProps {
  /** Accessible name, for a list without a heading. */
  label?: string;
  /** Sets the column widths. */
  className?: string | undefined;
  children: ReactNode;
}

export function LinkList({ label, className = '', children }: LinkListProps) {
  return (
    <ul className={`${classes.list} ${className}`} aria-label={label}>
      {children}
    </ul>
  );
}

interface LinkListItemProps {
  to: string;
  /** URL of the picture before the name. Without it, initials are shown. */
  logo?: string | null | undefined;
  /** Name for the initials, if it differs from `name`. */
  logoOf?: string;
  name: string;
  small?: ReactNode;
  /** Truncated after two lines. */
  below: ReactNode;
  /** Never truncated. */
  extra?: ReactNode;
  middle?: ReactNode;
  /** Needs its own column in the list's `className`. */
  chart?: ReactNode;
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
      <Link to={to} className={classes.line} data-list-item>
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
