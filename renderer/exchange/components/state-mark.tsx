import { type Icon, IconCircleCheck, IconCircleDashed, IconClockHour4, IconPlayerStop } from '@tabler/icons-react';
import classes from './state-mark.module.css';

export type Tone = 'wait' | 'good' | 'stop' | 'none';

const SIGNS: Record<Tone, Icon> = {
  wait: IconClockHour4,
  good: IconCircleCheck,
  stop: IconPlayerStop,
  none: IconCircleDashed,
};

/** Where something stands: a sign and its words. */
export function StateMark({ tone, children }: { tone: Tone; children: string }) {
  const Sign = SIGNS[tone];
  return (
    <span className={classes.mark} data-tone={tone}>
      <Sign size={16} stroke={1.6} aria-hidden="true" />
      {children}
    </span>
  );
}
