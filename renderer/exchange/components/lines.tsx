import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Logo } from '../../components/consent/logo.tsx';
import classes from './lines.module.css';

interface LineProps {
  to: string;
  /** Two letters of it stand before the line. */
  name: string;
  /** Small, behind the name. */
  small?: ReactNode;
  below: ReactNode;
  middle?: ReactNode;
  end: ReactNode;
}

/** Things that can be opened, one a line. */
export function Lines({ children, label }: { children: ReactNode; label: string }) {
  return (
    <ul className={classes.list} aria-label={label}>
      {children}
    </ul>
  );
}

export function Line({ to, name, small, below, middle, end }: LineProps) {
  return (
    <li>
      <Link to={to} className={classes.line}>
        <Logo url={null} name={name} />
        <span className={classes.words}>
          <span className={classes.name}>
            {name} {small !== undefined && <small>{small}</small>}
          </span>
          <span className={classes.below}>{below}</span>
        </span>
        <span className={classes.middle}>{middle}</span>
        <span className={classes.end}>{end}</span>
      </Link>
    </li>
  );
}

export function Nothing({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" mb="sm">
      {children}
    </Text>
  );
}
