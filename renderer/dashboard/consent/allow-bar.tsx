import { Button } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { m } from '../../shared/messages/texts.ts';
import classes from './allow-bar.module.css';

const words = m.requests.decide;
/** Milliseconds. A click that was meant for what was here before must not allow what has come in its place. */
const REVIEW_DELAY_MS = 1500;

interface AllowBarProps {
  allow: string;
  /** Why it cannot be allowed at this moment. */
  blockedReason?: string | undefined;
  /** Said for a moment when this has come in the place of what was looked at; nothing can be allowed as long. */
  changeNotice?: string | undefined;
  busy: boolean;
  onAllow: () => void;
  /** The other ways: not now, never. They are as easy to reach. */
  children: ReactNode;
}

/** The decision. Enter does not trigger it, so that it cannot be confirmed by accident. */
export function AllowBar({ allow, blockedReason, changeNotice, busy, onAllow, children }: AllowBarProps) {
  const [entered, setEntered] = useState(false);
  const [tooSoon, setTooSoon] = useState(changeNotice !== undefined);
  useEffect(() => {
    if (!tooSoon) return;
    const timer = setTimeout(() => setTooSoon(false), REVIEW_DELAY_MS);
    return () => clearTimeout(timer);
  }, [tooSoon]);
  const why = tooSoon ? changeNotice : blockedReason;
  const hint = useId();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    setEntered(true);
  };
  return (
    <section className={classes.bar} data-decision-bar aria-label={words.label}>
      <p id={hint} className={classes.hint} data-shown={entered || why !== undefined || undefined} role="status">
        {why ?? words.noEnter}
      </p>
      <div className={classes.buttons}>
        <Button
          type="button"
          variant="outline"
          classNames={{ root: classes.allow ?? '', label: classes.label ?? '' }}
          aria-describedby={hint}
          disabled={why !== undefined}
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
