import {
  type Icon,
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconClockHour4,
  IconHourglass,
  IconPlayerPlay,
  IconPlugConnectedX,
  IconRefreshAlert,
  IconTrash,
} from '@tabler/icons-react';
import type { OwnerFunction } from '../../api/contract.ts';
import { m } from '../../messages/en.ts';
import classes from './state-mark.module.css';
import { type State, stateOf } from './state.ts';

const PICTURES: Record<State, Icon> = {
  decision: IconClockHour4,
  failing: IconAlertTriangle,
  circle: IconRefreshAlert,
  unavailable: IconPlugConnectedX,
  running: IconPlayerPlay,
  queued: IconHourglass,
  waiting: IconHourglass,
  on: IconCircleCheck,
  off: IconCircleDashed,
  removed: IconTrash,
};

export function stateText(one: OwnerFunction): string {
  const state = stateOf(one);
  return state === 'failing' ? m.functions.states.failing(one.failures) : m.functions.states[state];
}

/** Where a function stands: a sign and its words. */
export function StateMark({ one }: { one: OwnerFunction }) {
  const state = stateOf(one);
  const Sign = PICTURES[state];
  return (
    <span className={classes.mark} data-state={state}>
      <Sign size={16} stroke={1.6} aria-hidden="true" />
      {stateText(one)}
    </span>
  );
}
