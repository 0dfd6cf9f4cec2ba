import {
  type Icon,
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconClockHour4,
  IconHourglass,
  IconPlayerStop,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './mark.module.css';

/** How something stands: well, wanting a decision, at work, failed, stopped by somebody, or nothing of it. */
export type Standing = 'well' | 'decision' | 'moving' | 'fault' | 'stopped' | 'none';

const PICTURES: Record<Standing, Icon> = {
  well: IconCircleCheck,
  decision: IconClockHour4,
  moving: IconHourglass,
  fault: IconAlertTriangle,
  stopped: IconPlayerStop,
  none: IconCircleDashed,
};

interface MarkProps {
  standing: Standing;
  /** Says it closer than the sign of the standing does. */
  sign?: Icon | undefined;
  /** A word or two: the sign is as high as they are. Beside more, it stands at their first line. */
  short?: boolean;
  children: ReactNode;
}

/** A sign and its words. */
export function Mark({ standing, sign: Sign = PICTURES[standing], short = false, children }: MarkProps) {
  return (
    <span className={classes.mark} data-standing={standing} data-short={short || undefined}>
      <Sign size={16} stroke={1.6} aria-hidden="true" />
      <span>{children}</span>
    </span>
  );
}
