import { Button } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { m } from '../../messages/en.ts';
import classes from './allow-bar.module.css';

const words = m.requests.decide;

interface AllowBarProps {
  allow: string;
  /** Why it cannot be allowed at this moment. */
  closed?: string | undefined;
  busy: boolean;
  onAllow: () => void;
  /** The other ways: not now, never. They are as easy to reach. */
  children: ReactNode;
}

/** The decision. Nothing is allowed by Enter: whoever types on, or confirms whatever comes, has not decided. */
export function AllowBar({ allow, closed, busy, onAllow, children }: AllowBarProps) {
  const [entered, setEntered] = useState(false);
  const hint = useId();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    setEntered(true);
  };
  return (
    <section className={classes.bar} aria-label={words.label}>
      <p id={hint} className={classes.hint} data-shown={entered || closed !== undefined || undefined} role="status">
        {closed ?? words.noEnter}
      </p>
      <div className={classes.buttons}>
        <Button
          type="button"
          variant="outline"
          classNames={{ root: classes.allow ?? '', label: classes.label ?? '' }}
          aria-describedby={hint}
          disabled={closed !== undefined}
          loading={busy}
          onKeyDown={onKeyDown}
          onClick={onAllow}
        >
          {allow}
        </Button>
        <div className={classes.others}>{children}</div>
      </div>
    </section>
  );
}
