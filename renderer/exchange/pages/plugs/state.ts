import type { Plug } from '../../api/client.ts';
import type { Tone } from '../../components/state-mark.tsx';

export type PlugState = 'connected' | 'idle' | 'waiting';

export const stateOf = ({ approved, connected }: Pick<Plug, 'approved' | 'connected'>): PlugState =>
  approved ? (connected ? 'connected' : 'idle') : 'waiting';

export const PLUG_TONES: Record<PlugState, Tone> = { connected: 'good', idle: 'none', waiting: 'wait' };
