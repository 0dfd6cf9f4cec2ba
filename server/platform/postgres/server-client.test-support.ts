import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** Limits that a busy machine does not reach. */
export const PATIENT_DATABASE_LIMITS = { statementMs: 600_000, connectMs: 600_000 };

const responseSchema = z.object({
  done: z
    .object({ url: z.string().optional(), template: z.string().optional(), folder: z.string().optional() })
    .optional(),
  failed: z.string().optional(),
});
type HostResult = NonNullable<z.infer<typeof responseSchema>['done']>;

export type DatabaseHost = {
  send(command: 'start' | 'stop' | 'template'): Promise<HostResult>;
  close(): Promise<void>;
};

/** Starts the process that runs a PostgreSQL server. The server starts with the first `start` command. */
export const startDatabaseHost = (): DatabaseHost => {
  const script = fileURLToPath(new URL('./server-host.test-support.ts', import.meta.url));
  // `detached`: signals of a terminal must not stop the server before the tests have ended.
  // `--liftoff-only`: the process uses PGlite once, and optimising its code would take longer than running it.
  const child = spawn(process.execPath, ['--no-warnings', '--liftoff-only', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let queue: Promise<unknown> = Promise.resolve();
  return {
    send(command) {
      const response = queue.then(async () => {
        child.stdin.write(`${command}\n`);
        const { value, done } = await lines.next();
        if (done === true) throw new Error('the database host of the tests exited');
        const { done: result, failed: problem } = responseSchema.parse(JSON.parse(value));
        if (result === undefined) throw new Error(problem ?? 'the database host of the tests sent no result');
        return result;
      });
      queue = response.catch(() => undefined);
      return response;
    },
    async close() {
      if (child.exitCode !== null) return;
      const exited = once(child, 'exit');
      child.stdin.end();
      await exited;
    },
  };
};
