import { type Icon, IconPlayerPlay, IconPlugConnectedX, IconRefreshAlert, IconTrash } from '@tabler/icons-react';
import type { OwnerFunction } from '../../api/contract.ts';
import { Mark, type Standing } from '../../components/mark.tsx';
import { m } from '../../messages/texts.ts';
import { type State, stateOf } from './state.ts';

const STANDING: Record<State, Standing> = {
  decision: 'decision',
  failing: 'fault',
  circle: 'fault',
  unavailable: 'fault',
  running: 'moving',
  queued: 'moving',
  waiting: 'moving',
  on: 'well',
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
    <Mark standing={STANDING[state]} sign={SIGNS[state]} short>
      {stateText(one)}
    </Mark>
  );
}
