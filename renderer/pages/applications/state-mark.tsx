import {
  type Icon,
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconClockHour4,
  IconPlayerStop,
} from '@tabler/icons-react';
import { m } from '../../messages/en.ts';
import type { State } from './state.ts';
import classes from './state-mark.module.css';

const PICTURES: Record<State, Icon> = {
  approval: IconClockHour4,
  problem: IconAlertTriangle,
  running: IconCircleCheck,
  stopped: IconPlayerStop,
  available: IconCircleDashed,
};

/** Where an application stands: a sign and its words. */
export function StateMark({ state }: { state: State }) {
  const Sign = PICTURES[state];
  return (
    <span className={classes.mark} data-state={state}>
      <Sign size={16} stroke={1.6} aria-hidden="true" />
      {m.applications.states[state]}
    </span>
  );
}
