import type { Standing } from '../../../components/mark.tsx';
import type { Plug } from '../../api/client.ts';

export type PlugState = 'connected' | 'idle' | 'waiting';

export const stateOf = ({ approved, connected }: Pick<Plug, 'approved' | 'connected'>): PlugState =>
  approved ? (connected ? 'connected' : 'idle') : 'waiting';

export const STANDING: Record<PlugState, Standing> = { connected: 'well', idle: 'none', waiting: 'decision' };
