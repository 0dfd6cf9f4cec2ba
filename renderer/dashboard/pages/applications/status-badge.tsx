import { StatusBadge, type BadgeStatus } from '../../../shared/components/status-badge.tsx';
import { m } from '../../../shared/messages/texts.ts';
import type { ApplicationState } from './status.ts';

const BADGE_STATUS: Record<ApplicationState, BadgeStatus> = {
  approval: 'attention',
  problem: 'error',
  running: 'ok',
  stopped: 'stopped',
  available: 'none',
};

export function ApplicationBadge({ state }: { state: ApplicationState }) {
  return (
    <StatusBadge status={BADGE_STATUS[state]} short>
      {m.applications.states[state]}
    </StatusBadge>
  );
}
