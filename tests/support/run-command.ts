import { Readable } from 'node:stream';
import { vi } from 'vitest';
import { main as pdaMain } from '../../server/pda/cli/commands.ts';
import type { CommandResult } from './server-process.ts';

/** Captures the output on a standard stream of this process. */
const captureOutput = (stream: NodeJS.WriteStream): { text(): string; stop(): void } => {
  let text = '';
  const spy = vi.spyOn(stream, 'write').mockImplementation((...args: unknown[]) => {
    text += String(args[0]);
    const callback = args.at(-1);
    if (typeof callback === 'function') callback();
    return true;
  });
  return { text: () => text, stop: () => spy.mockRestore() };
};

/**
 * Runs a command in this process, because starting a process costs more than most commands. It is not suitable for
 * `serve`, which runs until its process ends.
 */
export const runInProcess = async (
  args: readonly string[],
  main: (argv: readonly string[]) => Promise<number> = pdaMain,
  input?: string,
): Promise<CommandResult> => {
  const stdinSpy =
    input === undefined
      ? undefined
      : // Standard input yields the input and then ends.
        vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([Buffer.from(input)]) as typeof process.stdin);
  const stdoutCapture = captureOutput(process.stdout);
  const stderrCapture = captureOutput(process.stderr);
  try {
    const code = await main(['node', 'program', ...args]);
    return { code, signal: null, stdout: stdoutCapture.text(), stderr: stderrCapture.text() };
  } finally {
    stdinSpy?.mockRestore();
    stdoutCapture.stop();
    stderrCapture.stop();
  }
};
