import { type Icon, IconPlayerPlay, IconPlugConnectedX, IconRefreshAlert, IconTrash } from '@tabler/icons-react';
import type { OwnerFunction } from '../../../../shared/api/contract.ts';
import { StatusBadge, type BadgeStatus } from '../../../../shared/components/status-badge.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { type FunctionState, functionStateOf } from './state.ts';

const STANDING: Record<FunctionState, BadgeStatus> = {
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

const SIGNS: Partial<Record<FunctionState, Icon>> = {
  circle: IconRefreshAlert,
  unavailable: IconPlugConnectedX,
  running: IconPlayerPlay,
  removed: IconTrash,
};

export function functionStatusText(one: OwnerFunction): string {
  const state = functionStateOf(one);
  return state === 'failing' ? m.functions.states.failing(one.failures) : m.functions.states[state];
}

/** Where a function stands: a sign and its words. */
export function FunctionBadge({ one }: { one: OwnerFunction }) {
  const state = functionStateOf(one);
  return (
    <StatusBadge status={STANDING[state]} icon={SIGNS[state]} short>
      {functionStatusText(one)}
    </StatusBadge>
  );
}
