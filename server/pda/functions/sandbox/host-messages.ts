import type { FunctionTarget, SessionReport, Step } from '../runs/function-host.ts';

/**
 * Messages between the main thread and the sandbox thread. `run` identifies a session, `requestId` one of its steps.
 */

export type StepRequest =
  | { readonly kind: 'configuration' }
  | { readonly kind: 'dataBundle'; readonly window: { readonly fromDate?: string; readonly untilDate: string } }
  | { readonly kind: 'process'; readonly requestText: string };

export type ToHost =
  | { readonly to: 'open'; readonly run: number; readonly target: FunctionTarget; readonly aborted: boolean }
  | { readonly to: 'step'; readonly run: number; readonly requestId: number; readonly request: StepRequest }
  | { readonly to: 'abort' | 'close'; readonly run: number }
  | { readonly to: 'end' };

export type FromHost =
  | { readonly from: 'step'; readonly run: number; readonly requestId: number; readonly step: Step }
  | { readonly from: 'report'; readonly run: number; readonly report: SessionReport }
  | { readonly from: 'warning'; readonly message: string; readonly problem: string }
  | { readonly from: 'ended' };

/** Worker data of the thread. */
export type HostThreadData = { readonly folder: string };
