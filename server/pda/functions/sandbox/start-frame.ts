import { MAX_FUNCTION_LOG_LINES, MAX_FUNCTION_OUTPUT_BYTES, MAX_FUNCTION_SCRATCH_BYTES } from '../../../wire/limits.ts';
import type { RunPlan } from './confinement.ts';
import { isolateMemoryMb, MAX_LOG_LINE_CHARS, MAX_FAILURE_MESSAGE_CHARS, SCRATCH_CHUNK_BYTES } from './limits.ts';

const SANDBOX_TIMEOUT_MARGIN_MS = 3000;

export const startFrameText = (plan: RunPlan): string =>
  JSON.stringify({
    module: plan.module ?? '',
    folder: plan.folder,
    memoryMb: isolateMemoryMb(plan.memoryMb),
    // Normally the server ends a run at its time limit. This limit applies if the server itself has exited.
    timeoutMs: plan.timeoutMs + SANDBOX_TIMEOUT_MARGIN_MS,
    scratchBytes: MAX_FUNCTION_SCRATCH_BYTES,
    limits: {
      messageChars: MAX_FAILURE_MESSAGE_CHARS,
      lineChars: MAX_LOG_LINE_CHARS,
      lines: MAX_FUNCTION_LOG_LINES,
      outputChars: MAX_FUNCTION_OUTPUT_BYTES,
      outputBytes: MAX_FUNCTION_OUTPUT_BYTES,
      chunkBytes: SCRATCH_CHUNK_BYTES,
    },
  });
