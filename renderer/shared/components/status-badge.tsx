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
import classes from './status-badge.module.css';

/** `attention`: needs a decision; `pending`: in progress; `stopped`: stopped deliberately. */
export type BadgeStatus = 'ok' | 'attention' | 'pending' | 'error' | 'stopped' | 'none';

const ICONS: Record<BadgeStatus, Icon> = {
  ok: IconCircleCheck,
  attention: IconClockHour4,
  pending: IconHourglass,
  error: IconAlertTriangle,
  stopped: IconPlayerStop,
  none: IconCircleDashed,
};

interface StatusBadgeProps {
  status: BadgeStatus;
  icon?: Icon | undefined;
  /** Centres the icon, for labels of one or two words. Otherwise the icon is beside the first line. */
  short?: boolean;
  children: ReactNode;
}

export function StatusBadge({ status, icon: StatusIcon = ICONS[status], short = false, children }: StatusBadgeProps) {
  return (
    <span className={classes.badge} data-status={status} data-short={short || undefined}>
      <StatusIcon size={16} stroke={1.6} aria-hidden="true" />
      <span>{children}</span>
    </span>
  );
}
