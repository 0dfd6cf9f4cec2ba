import { Button, Group } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { m } from '../../shared/messages/texts.ts';
import classes from './allow-bar.module.css';

const texts = m.requests.decide;
/**
 * How long the button is disabled once the request has been replaced, so that a click cannot allow an unread request.
 */
const REVIEW_DELAY_MS = 1500;

interface AllowBarProps {
  allowLabel: string;
  blockedReason?: string | undefined;
  /** Notice that the request has been replaced. Disables the button for `REVIEW_DELAY_MS` after the bar mounts. */
  changeNotice?: string | undefined;
  busy: boolean;
  onAllow: () => void;
  /** Buttons of the alternatives, such as "Not now". */
  children: ReactNode;
}

/** The Allow button ignores the Enter key, so that nothing is allowed by accident. */
export function AllowBar({ allowLabel, blockedReason, changeNotice, busy, onAllow, children }: AllowBarProps) {
  const [hasPressedEnter, setHasPressedEnter] = useState(false);
  const [isReviewing, setIsReviewing] = useState(changeNotice !== undefined);
  useEffect(() => {
    if (!isReviewing) return;
    const timer = setTimeout(() => setIsReviewing(false), REVIEW_DELAY_MS);
    return () => clearTimeout(timer);
  }, [isReviewing]);
  const disabledReason = isReviewing ? changeNotice : blockedReason;
  const hintId = useId();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    setHasPressedEnter(true);
  };
  return (
    <section className={classes.bar} data-decision-bar aria-label={texts.label}>
      <p
        id={hintId}
        className={classes.hint}
        data-shown={hasPressedEnter || disabledReason !== undefined || undefined}
        role="status"
      >
        {disabledReason ?? texts.enterDisabled}
      </p>
      <Group justify="space-between" gap="0.75rem">
        <Button
          type="button"
          variant="outline"
          classNames={{ root: classes.allowButton ?? '', label: classes.label ?? '' }}
          aria-describedby={hintId}
          disabled={disabledReason !== undefined}
          loading={busy}
          onKeyDown={onKeyDown}
          onClick={onAllow}
        >
          {allowLabel}
        </Button>
        <div className={classes.alternatives}>{children}</div>
      </Group>
    </section>
  );
}
