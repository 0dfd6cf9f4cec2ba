import { UntrustedText } from './untrusted-text.tsx';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Logo } from './logo.tsx';
import classes from './link-list.module.css';

interface LinkListProps {
  /** Accessible name, for a list without a heading. */
  label?: string;
  /** Class that sets the layout properties of `link-list.module.css`. */
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
  /** URL of the picture; without it, initials are shown. */
  logo?: string | null | undefined;
  /** Name for the initials, if it differs from `name`. */
  logoName?: string;
  name: string;
  /** Small text after the name. */
  note?: ReactNode;
  /** Truncated after two lines. */
  description: ReactNode;
  /** Below the description. Never truncated. */
  extra?: ReactNode;
  details?: ReactNode;
  /** Needs an additional column in the `--columns` of the list's class. */
  chart?: ReactNode;
  status: ReactNode;
}

export function LinkListItem({
  to,
  logo = null,
  name,
  logoName = name,
  note,
  description,
  extra,
  details,
  chart,
  status,
}: LinkListItemProps) {
  return (
    <li>
      <Link to={to} className={classes.row} data-list-item>
        <Logo url={logo} name={logoName} />
        <span className={classes.text}>
          <span className={classes.name}>
            <UntrustedText>{name}</UntrustedText> {note !== undefined && <small>{note}</small>}
          </span>
          <span className={classes.description}>
            {typeof description === 'string' ? <UntrustedText>{description}</UntrustedText> : description}
          </span>
          {extra}
        </span>
        <span className={classes.details}>{details}</span>
        {chart}
        <span className={classes.status}>{status}</span>
      </Link>
    </li>
  );
}
