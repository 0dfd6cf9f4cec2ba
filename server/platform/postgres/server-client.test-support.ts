import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const answerSchema = z.object({
  done: z
    .object({ url: z.string().optional(), template: z.string().optional(), folder: z.string().optional() })
    .optional(),
  failed: z.string().optional(),
});
type Done = NonNullable<z.infer<typeof answerSchema>['done']>;

/** The process that keeps a PostgreSQL for tests. */
export type Keeper = {
  tell(command: 'start' | 'stop' | 'template'): Promise<Done>;
  close(): Promise<void>;
};

export const startKeeper = (): Keeper => {
  const script = fileURLToPath(new URL('./server-host.test-support.ts', import.meta.url));
  // A separate process group: signals of a terminal must not stop the server before its tests.
  // PGlite runs here once, where optimising its code takes longer than running it.
  const child = spawn(process.execPath, ['--no-warnings', '--liftoff-only', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let turn: Promise<unknown> = Promise.resolve();
  return {
    tell(command) {
      const answer = turn.then(async () => {
        child.stdin.write(`${command}\n`);
        const { value, done } = await lines.next();
        if (done === true) throw new Error('the PostgreSQL of the tests ended');
        const { done: what, failed } = answerSchema.parse(JSON.parse(value));
        if (what === undefined) throw new Error(failed ?? 'the PostgreSQL of the tests said nothing');
        return what;
      });
      turn = answer.catch(() => undefined);
      return answer;
    },
    async close() {
      if (child.exitCode !== null) return;
      const gone = once(child, 'exit');
      child.stdin.end();
      await gone;
    },
  };
};
