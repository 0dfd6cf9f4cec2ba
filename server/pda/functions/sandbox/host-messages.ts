import type { FunctionTarget, SessionReport, Step } from '../runs/function-host.ts';

export type StepRequest =
  | { readonly kind: 'configuration' }
  | { readonly kind: 'dataBundle'; readonly window: { readonly fromDate?: string; readonly untilDate: string } }
  | { readonly kind: 'process'; readonly requestText: string };

/** Messages to the thread of the host. `run` identifies a session, `requestId` one of its steps. */
export type HostCommand =
  | { readonly type: 'open'; readonly run: number; readonly target: FunctionTarget; readonly aborted: boolean }
  | { readonly type: 'step'; readonly run: number; readonly requestId: number; readonly request: StepRequest }
  | { readonly type: 'abort' | 'close'; readonly run: number }
  | { readonly type: 'end' };

export type HostEvent =
  | { readonly type: 'step'; readonly run: number; readonly requestId: number; readonly step: Step }
  | { readonly type: 'report'; readonly run: number; readonly report: SessionReport }
  | { readonly type: 'warning'; readonly message: string; readonly problem: string }
  | { readonly type: 'ended' };

export type HostThreadData = { readonly folder: string };
