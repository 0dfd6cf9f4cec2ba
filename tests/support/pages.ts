import { spawn } from 'node:child_process';
import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { ROOT } from './paths.ts';

// Runs the guides: executes the command blocks in order and compares each output with the text block that follows.
//
// Two invisible comments annotate a page: `<!-- by hand: COMMAND -->` runs the step that the text describes, and
// `<!-- not run: REASON -->` before a block skips it.

export type Block = {
  /** Info string of the fence (`sh`, `sh server`, `text`, `json`, `ts`, …), or `by hand`. */
  kind: string;
  text: string;
  skipReason: string | undefined;
};

const FENCE =
  /^(?:<!-- not run: (?<reason>.+) -->\n)?```(?<kind>\w*(?: \w+)?)\n(?<text>[\s\S]*?)^```$|^<!-- by hand: (?<command>.+) -->$/gmu;

export const blocksOf = (page: string): Block[] =>
  [...page.matchAll(FENCE)].map(({ groups = {} }) =>
    groups['command'] === undefined
      ? { kind: groups['kind'] ?? '', text: groups['text'] ?? '', skipReason: groups['reason'] }
      : { kind: 'by hand', text: groups['command'], skipReason: undefined },
  );

const OUTPUT_SEPARATOR = '=== ';

/** Shell functions for servers: `begin` starts one in the background, `end` stops it, and `again` restarts it. */
const SERVER_FUNCTIONS = String.raw`
begin() {
  : > server.log
  (exec bash -c "exec $1") > server.log 2>&1 &
  SERVER=$! SERVES="$1"
  # Wait for the first output before the next command reads it.
  until grep -q . server.log; do sleep 0.1; kill -0 $SERVER || { cat server.log >&2; exit 1; }; done
}
end() { kill $SERVER; wait $SERVER || true; }
again() { end; begin "$SERVES"; }`;

const SERVE_COMMAND = /^npm run \w+ -- serve .*$/gmu;
const startInBackground = (command: string): string => `begin '${command.replace(/\s+#.*$/u, '').trim()}'`;

const stepOf = ({ kind, text, skipReason }: Block, index: number): string[] => {
  if (skipReason !== undefined) return [];
  if (kind === 'by hand') return [text];
  if (kind === 'sh server') return [startInBackground(text)];
  return kind === 'sh'
    ? [String.raw`printf '\n%s\n' '${OUTPUT_SEPARATOR}${index}'`, text.replace(SERVE_COMMAND, startInBackground)]
    : [];
};

/** Converts a line of a text block into a pattern, in which `…` matches any text. */
const toPattern = (line: string): RegExp =>
  new RegExp(
    `^${line
      .split('…')
      .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`))
      .join('.*')}$`,
    'u',
  );

type GuideRun = { code: number | null; errors: string; outputs: ReadonlyMap<number, readonly string[]> };

/** Links the project into a folder, so that commands can create files there without changing the project. */
export const linkProject = async (folder: string, excludedNames: readonly string[] = []): Promise<void> => {
  for (const name of await readdir(ROOT))
    if (!excludedNames.includes(name)) await symlink(join(ROOT, name), join(folder, name));
};

export const runBlocks = async (
  blocks: readonly Block[],
  {
    folder,
    setup = [],
    env = {},
  }: { folder: string; setup?: readonly string[]; env?: Readonly<Record<string, string>> },
): Promise<GuideRun> => {
  const script = [
    'set -u',
    "trap 'code=$?; set +e; kill $(jobs -p) 2>/dev/null; wait; exit $code' EXIT",
    SERVER_FUNCTIONS,
    ...setup,
    ...blocks.flatMap((block, index) => stepOf(block, index)),
  ].join('\n');
  const bash = spawn('bash', ['-c', script], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const exitCode = new Promise<number | null>((resolve) => bash.once('close', resolve));
  const [output, errors] = await Promise.all([text(bash.stdout), text(bash.stderr)]);
  const outputs = new Map(
    output.split(new RegExp(`^${OUTPUT_SEPARATOR}`, 'mu')).map((section) => {
      const [blockIndex = '', ...lines] = section.split('\n');
      return [Number(blockIndex), lines.join('\n').trimEnd().split('\n')] as const;
    }),
  );
  return { code: await exitCode, errors, outputs };
};

/** Compares the outputs with the text blocks of the page. @returns the number of compared blocks */
export const expectOutputs = (blocks: readonly Block[], { outputs }: GuideRun): number => {
  let comparedCount = 0;
  for (const [blockIndex, { kind, text, skipReason }] of blocks.entries()) {
    if (kind !== 'text' || skipReason !== undefined) continue;
    comparedCount += 1;
    const lines = outputs.get(blockIndex - 1) ?? [];
    const patterns = text.trimEnd().split('\n').map(toPattern);
    expect(lines.length, lines.join('\n')).toBe(patterns.length);
    for (const [number, pattern] of patterns.entries()) expect(lines[number]).toMatch(pattern);
  }
  return comparedCount;
};
