import { Mark, type Standing } from '../../components/mark.tsx';
import { m } from '../../messages/texts.ts';
import type { State } from './state.ts';

const STANDING: Record<State, Standing> = {
  approval: 'decision',
  problem: 'fault',
  running: 'well',
  stopped: 'stopped',
  available: 'none',
};

/** Where an application stands: a sign and its words. */
export function StateMark({ state }: { state: State }) {
  return (
    <Mark standing={STANDING[state]} short>
      {m.applications.states[state]}
    </Mark>
  );
}
