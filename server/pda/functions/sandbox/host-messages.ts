import type { FunctionTarget, SessionReport, Step } from '../runs/function-host.ts';

/** What the server's thread and that of the sandboxes say to each other. `run` names a session, `ask` a step of it. */

export type Question =
  | { readonly kind: 'configuration' }
  | { readonly kind: 'dataBundle'; readonly window: { readonly fromDate?: string; readonly untilDate: string } }
  | { readonly kind: 'process'; readonly requestText: string };

export type ToHost =
  | { readonly to: 'open'; readonly run: number; readonly target: FunctionTarget; readonly aborted: boolean }
  | { readonly to: 'ask'; readonly run: number; readonly ask: number; readonly question: Question }
  | { readonly to: 'abort' | 'close'; readonly run: number }
  | { readonly to: 'end' };

export type FromHost =
  | { readonly from: 'step'; readonly run: number; readonly ask: number; readonly step: Step }
  | { readonly from: 'report'; readonly run: number; readonly report: SessionReport }
  | { readonly from: 'warning'; readonly message: string; readonly problem: string }
  | { readonly from: 'ended' };

/** What the thread is started with. */
export type HostThreadData = { readonly folder: string };
