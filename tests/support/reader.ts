import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { delimiter, join } from 'node:path';
import { Readable } from 'node:stream';
import { linkProject } from './pages.ts';
import { ROOT } from './paths.ts';
import { runInProcess } from './run-command.ts';

// Simulates a reader who types the commands of a guide.

type Program = { main: (argv: readonly string[]) => Promise<number> };
const PROGRAMS: Readonly<Record<string, () => Promise<Program>>> = {
  pda: () => import('../../server/pda/cli/commands.ts'),
  exchange: () => import('../../server/exchange/commands.ts'),
  contracts: () => import('../../server/contracts/commands.ts'),
};

/** Files with the outcome of a command, in the order in which the shell script reads them. */
const OUTCOME_FILES = ['out', 'errors', 'code'] as const;

const SCRIPTS: Readonly<Record<string, (socket: string) => string>> = {
  // Servers run in separate processes. Other commands run in the process of the test, because starting a process takes
  // longer than most commands.
  npm: (socket) => `#!/bin/bash
[ "$1" = run ] || { echo "npm $* is not supported in tests" >&2; exit 1; }
program="$2"; shift 3
if [ "$1" = serve ]; then
  case "$program" in pda) exec node server/pda/cli/main.js "$@" ;; *) exec node "server/$program/cli.ts" "$@" ;; esac
fi
job=$(mktemp -d "\${0%/*}/job-XXXXXX")
printf '%s\\0' "$PWD" "$program" "$@" > "$job/words"
env -0 > "$job/environment"
cat > "$job/input"
curl -sf --unix-socket '${socket}' "http://reader/\${job##*/}" || { echo 'the command could not be run' >&2; exit 1; }
cat "$job/out"; cat "$job/errors" >&2; exit "$(cat "$job/code")"
`,
  // jq is not installed everywhere. Pages use it only to read one key of an object.
  jq: () => `#!/bin/bash
[[ "$(cat -- "\${3:--}")" =~ \\"\${2#.}\\":\\ ?\\"([^\\"]*)\\" ]] || { echo "there is no key $2" >&2; exit 1; }
echo "\${BASH_REMATCH[1]}"
`,
};

const readNulSeparated = async (file: string): Promise<string[]> =>
  (await readFile(file, 'utf8')).split('\0').slice(0, -1);

/** Runs a command with the given folder, environment and input, and restores those of this process afterwards. */
const runJob = async (job: string): Promise<void> => {
  const [folder = '', name = '', ...args] = await readNulSeparated(join(job, 'words'));
  const variables = (await readNulSeparated(join(job, 'environment'))).map(
    (pair) => pair.split(/=(.*)/su, 2) as [string, string],
  );
  const program = PROGRAMS[name];
  if (program === undefined) throw new Error(`npm run ${name} is not supported in tests`);
  const input = await readFile(join(job, 'input'));
  const { main } = await program();
  const originalState = { folder: process.cwd(), environment: { ...process.env } };
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {};
  process.chdir(folder);
  Object.assign(process.env, Object.fromEntries(variables));
  Object.defineProperty(process, 'stdin', { value: Readable.from([input]), configurable: true });
  try {
    const { code, stdout, stderr } = await runInProcess(args, main);
    const outcome = { out: stdout, errors: stderr, code: String(code) };
    for (const file of OUTCOME_FILES) await writeFile(join(job, file), outcome[file]);
  } finally {
    Object.defineProperty(process, 'stdin', stdin);
    for (const key of Object.keys(process.env)) if (!(key in originalState.environment)) delete process.env[key];
    Object.assign(process.env, originalState.environment);
    process.chdir(originalState.folder);
  }
};

export type Reader = { env: Readonly<Record<string, string>>; close(): Promise<void> };

/** Prepares a folder with the project and scripts for its commands. The folder is also the reader's home. */
export const createReader = async (folder: string): Promise<Reader> => {
  await linkProject(folder);
  const programs = join(folder, 'programs');
  await mkdir(programs);
  const socket = join(programs, 'socket');
  for (const [name, content] of Object.entries(SCRIPTS))
    await writeFile(join(programs, name), content(socket), { mode: 0o755 });
  // Commands run one at a time.
  let queue: Promise<unknown> = Promise.resolve();
  const server = createServer((request, response) => {
    queue = queue
      .then(() => runJob(join(programs, (request.url ?? '').slice(1))))
      .then(
        () => response.end(),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
  }).listen(socket);
  await once(server, 'listening');
  const path = [programs, join(ROOT, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter);
  return {
    env: { HOME: folder, PATH: path, PDA_LOG_LEVEL: 'silent' },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
