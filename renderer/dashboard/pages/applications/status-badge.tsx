import { StatusBadge, type BadgeStatus } from '../../../shared/components/status-badge.tsx';
import { m } from '../../../shared/messages/texts.ts';
import type { ApplicationState } from './status.ts';

const STANDING: Record<ApplicationState, BadgeStatus> = {
  approval: 'attention',
  problem: 'error',
  running: 'ok',
  stopped: 'stopped',
  available: 'none',
};

/** Where an application stands: a sign and its words. */
export function ApplicationBadge({ state }: { state: ApplicationState }) {
  return (
    <StatusBadge status={STANDING[state]} short>
      {m.applications.states[state]}
    </StatusBadge>
  );
}
