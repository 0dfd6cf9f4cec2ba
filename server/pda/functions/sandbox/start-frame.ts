import { MAX_FUNCTION_LOG_LINES, MAX_FUNCTION_OUTPUT_BYTES, MAX_FUNCTION_SCRATCH_BYTES } from '../../../wire/limits.ts';
import type { RunPlan } from './confinement.ts';
import { isolateMemoryMb, MAX_LOG_LINE_CHARS, MAX_MESSAGE_CHARS, SCRATCH_PIECE_BYTES } from './limits.ts';

/** Milliseconds by which the sandbox's own clock is behind the server's. */
const OWN_CLOCK_LATER_MS = 3000;

/** The first frame: the complete plan of the run. */
export const startText = (plan: RunPlan): string =>
  JSON.stringify({
    module: plan.module ?? '',
    folder: plan.folder,
    memoryMb: isolateMemoryMb(plan.memoryMb),
    // The server's clock ends a run; this is for a sandbox that has lost its server.
    timeoutMs: plan.timeoutMs + OWN_CLOCK_LATER_MS,
    scratchBytes: MAX_FUNCTION_SCRATCH_BYTES,
    limits: {
      messageChars: MAX_MESSAGE_CHARS,
      lineChars: MAX_LOG_LINE_CHARS,
      lines: MAX_FUNCTION_LOG_LINES,
      outputChars: MAX_FUNCTION_OUTPUT_BYTES,
      outputBytes: MAX_FUNCTION_OUTPUT_BYTES,
      pieceBytes: SCRATCH_PIECE_BYTES,
    },
  });
