import { type Icon, IconPlayerPlay, IconPlugConnectedX, IconRefreshAlert, IconTrash } from '@tabler/icons-react';
import type { OwnerFunction } from '../../../../shared/api/contract.ts';
import { StatusBadge, type BadgeStatus } from '../../../../shared/components/status-badge.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { type State, stateOf } from './state.ts';

const STANDING: Record<State, BadgeStatus> = {
  decision: 'attention',
  failing: 'error',
  circle: 'error',
  unavailable: 'error',
  running: 'pending',
  queued: 'pending',
  waiting: 'pending',
  on: 'ok',
  off: 'none',
  removed: 'none',
};

const SIGNS: Partial<Record<State, Icon>> = {
  circle: IconRefreshAlert,
  unavailable: IconPlugConnectedX,
  running: IconPlayerPlay,
  removed: IconTrash,
};

export function stateText(one: OwnerFunction): string {
  const state = stateOf(one);
  return state === 'failing' ? m.functions.states.failing(one.failures) : m.functions.states[state];
}

/** Where a function stands: a sign and its words. */
export function StateMark({ one }: { one: OwnerFunction }) {
  const state = stateOf(one);
  return (
    <StatusBadge status={STANDING[state]} icon={SIGNS[state]} short>
      {stateText(one)}
    </StatusBadge>
  );
}
