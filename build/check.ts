import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { memoryFolder } from './memory-folder.ts';
import { runSteps, sayRow, sayTotal, type Step } from './steps.ts';

const ROOT = dirname(import.meta.dirname);
const tool = (path: string): string => join(ROOT, 'node_modules', path);

/** Everything that must hold before a change is done, quick things first. */
const STEPS: readonly Step[] = [
  { name: 'types', args: [tool('typescript/bin/tsc'), '--noEmit'], needs: [], alone: false },
  { name: 'lint', args: [tool('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings'], needs: [], alone: false },
  { name: 'format', args: [tool('oxfmt/bin/oxfmt'), '--check'], needs: [], alone: false },
  { name: 'walls', args: [join(ROOT, 'build/walls.ts')], needs: [], alone: false },
  { name: 'dashboard', args: [tool('vite/bin/vite.js'), 'build', 'renderer'], needs: [], alone: false },
  {
    name: 'operator-page',
    args: [tool('vite/bin/vite.js'), 'build', 'renderer/exchange'],
    needs: [],
    alone: false,
  },
  { name: 'pack', args: [join(ROOT, 'build/pack-server.ts')], needs: [], alone: false },
  // These two bring workers of their own and measure time in places: beside each other they would only disturb each other.
  { name: 'tests', args: [tool('vitest/vitest.mjs'), 'run'], needs: ['pack'], alone: true },
  {
    name: 'browser',
    args: [tool('@playwright/test/cli.js'), 'test'],
    needs: ['dashboard', 'operator-page', 'pack'],
    alone: true,
  },
];

const HELP = `npm test [-- --only NAMES]

Runs every check and test. NAMES: some of ${STEPS.map(({ name }) => name).join(', ')}, with commas.`;

/**
 * The steps that were asked for, in the order of the whole check; all for `undefined`.
 *
 * @throws {RangeError} naming what is not known
 */
export function chooseSteps(only: string | undefined): readonly Step[] {
  if (only === undefined) return STEPS;
  const names = only.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !STEPS.some((step) => step.name === name));
  if (unknown !== undefined)
    throw new RangeError(`unknown check "${unknown}"; there are ${STEPS.map(({ name }) => name).join(', ')}`);
  return STEPS.filter(({ name }) => names.includes(name));
}

/** Runs the chosen steps and prints the table. Exit codes: 0 all passed, 1 something did not, 2 wrong arguments. */
async function main(): Promise<number> {
  let steps: readonly Step[];
  try {
    const { values } = parseArgs({ options: { only: { type: 'string' }, help: { type: 'boolean' } } });
    if (values.help === true) {
      console.log(HELP);
      return 0;
    }
    steps = chooseSteps(values.only);
  } catch (cause) {
    console.error(cause instanceof Error ? cause.message : String(cause));
    return 2;
  }

  // The steps' temporary files; what a test left behind goes with them.
  const temporary = memoryFolder();
  if (temporary !== undefined) process.env['TMPDIR'] = temporary.path;
  const width = Math.max(...steps.map(({ name }) => name.length));
  const run = runSteps(steps, { cwd: ROOT, onDone: (result) => console.log(sayRow(result, width)) });
  const interrupt = (): void => run.close();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const results = await run.results;
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  temporary?.remove();

  for (const { name, outcome, output } of results) {
    if (outcome !== 'passed') console.log(`\n── ${name}: ${outcome} ${'─'.repeat(60)}\n${output}`);
  }
  console.log(`\n${sayTotal(results)}`);
  return results.every(({ outcome }) => outcome === 'passed') ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main();
