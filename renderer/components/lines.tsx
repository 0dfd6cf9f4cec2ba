import { Foreign } from './foreign.tsx';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Logo } from './consent/logo.tsx';
import classes from './line.module.css';

interface LinesProps {
  /** What they are, where no heading says it. */
  label?: string;
  /** Sets how wide the parts of a line are. */
  className?: string | undefined;
  children: ReactNode;
}

/** Things that can be opened, one a line. */
export function Lines({ label, className = '', children }: LinesProps) {
  return (
    <ul className={`${classes.list} ${className}`} aria-label={label}>
      {children}
    </ul>
  );
}

interface LineProps {
  to: string;
  /** Stands before the line; in its absence two letters of the name do. */
  logo?: string | null | undefined;
  /** Whose logo it is, where that is not what the line is about: the letters are theirs then. */
  logoOf?: string;
  name: string;
  /** Small, behind the name. */
  small?: ReactNode;
  /** Two lines of it are shown. */
  below: ReactNode;
  /** Under that, and never cut. */
  besides?: ReactNode;
  middle?: ReactNode;
  /** Between the middle and the end: a picture that only the list's own columns have room for. */
  picture?: ReactNode;
  /** Where it stands, and small what goes with that. */
  end: ReactNode;
}

export function Line({ to, logo = null, name, logoOf = name, small, below, besides, middle, picture, end }: LineProps) {
  return (
    <li>
      <Link to={to} className={classes.line}>
        <Logo url={logo} name={logoOf} />
        <span className={classes.words}>
          <span className={classes.name}>
            <Foreign>{name}</Foreign> {small !== undefined && <small>{small}</small>}
          </span>
          <span className={classes.below}>{typeof below === 'string' ? <Foreign>{below}</Foreign> : below}</span>
          {besides}
        </span>
        <span className={classes.middle}>{middle}</span>
        {picture}
        <span className={classes.end}>{end}</span>
      </Link>
    </li>
  );
}
