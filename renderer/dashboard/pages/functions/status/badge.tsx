import { type Icon, IconPlayerPlay, IconPlugConnectedX, IconRefreshAlert, IconTrash } from '@tabler/icons-react';
import type { OwnerFunction } from '../../../../shared/api/contract.ts';
import { StatusBadge, type BadgeStatus } from '../../../../shared/components/status-badge.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { type FunctionState, functionStateOf } from './state.ts';

const BADGE_STATUS: Record<FunctionState, BadgeStatus> = {
  decision: 'attention',
  failing: 'error',
  cycle: 'error',
  unavailable: 'error',
  running: 'pending',
  queued: 'pending',
  waiting: 'pending',
  on: 'ok',
  off: 'none',
  removed: 'none',
};

const ICONS: Partial<Record<FunctionState, Icon>> = {
  cycle: IconRefreshAlert,
  unavailable: IconPlugConnectedX,
  running: IconPlayerPlay,
  removed: IconTrash,
};

export function FunctionBadge({ ownerFunction }: { ownerFunction: OwnerFunction }) {
  const state = functionStateOf(ownerFunction);
  return (
    <StatusBadge status={BADGE_STATUS[state]} icon={ICONS[state]} short>
      {state === 'failing' ? m.functions.states.failing(ownerFunction.failures) : m.functions.states[state]}
    </StatusBadge>
  );
}
