import {
  type Icon,
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconClockHour4,
  IconHourglass,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './mark.module.css';

/** How something stands: well, wanting a decision, at work, failed, or nothing of it. */
export type Standing = 'well' | 'decision' | 'moving' | 'fault' | 'none';

const PICTURES: Record<Standing, Icon> = {
  well: IconCircleCheck,
  decision: IconClockHour4,
  moving: IconHourglass,
  fault: IconAlertTriangle,
  none: IconCircleDashed,
};

/** A sign and its words. */
export function Mark({ standing, children }: { standing: Standing; children: ReactNode }) {
  const Sign = PICTURES[standing];
  return (
    <span className={classes.mark} data-standing={standing}>
      <Sign size={16} stroke={1.6} aria-hidden="true" />
      <span>{children}</span>
    </span>
  );
}
