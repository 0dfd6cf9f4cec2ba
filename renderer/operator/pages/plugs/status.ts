import type { BadgeStatus } from '../../../shared/components/status-badge.tsx';
import type { Plug } from '../../api/client.ts';

type PlugState = 'connected' | 'idle' | 'waiting';

export const plugStateOf = ({ approved, connected }: Pick<Plug, 'approved' | 'connected'>): PlugState =>
  approved ? (connected ? 'connected' : 'idle') : 'waiting';

export const PLUG_STATUS_BY_STATE: Record<PlugState, BadgeStatus> = {
  connected: 'ok',
  idle: 'none',
  waiting: 'attention',
};
