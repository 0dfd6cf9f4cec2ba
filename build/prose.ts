import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

// npm run prose [-- --list]
//
// Counts the lines of sources and docs that contain a discouraged phrase (`MARKERS`), and fails if there are more than
// `MARKED_LINES_MAX`. Lower the constant when you rewrite such lines. `--list` prints the lines.

const MARKED_LINES_MAX = 3;

const MARKERS = [
  String.raw`whoever`,
  String.raw`\b(?:nobody|somebody|anew)\b`,
  String.raw`strangers?\b`,
  String.raw`\bso many\b`,
  String.raw`\bhears? (?:of|which)\b`,
  String.raw`\b(?:is|are) told\b`,
  String.raw`\blook(?:s|ing)? whether\b`,
  String.raw`\bof its own\b`,
  String.raw`\bthe same (?:for|with|as it)\b`,
  String.raw`\bwhat (?:comes|leaves|goes|is|was|stays) [a-z]+ (?:here|there|is|stays)\b`,
];
const MARKER = new RegExp(MARKERS.join('|'), 'iu');
const SOURCE = /\.(?:tsx?|cjs|md)$/u;
/** Files that quote the markers or document the past. */
const EXCLUDED = /^docs\/(?:glossary\.md$|adr\/)|^CHANGELOG\.md$|^build\/prose(?:\.test)?\.ts$/u;

/** `line` is counted from 1. */
export type MarkedLine = { readonly file: string; readonly line: number; readonly text: string };

export function findMarkedLines(file: string, text: string): MarkedLine[] {
  return text
    .split('\n')
    .map((content, index) => ({ file, line: index + 1, text: content.trim() }))
    .filter((entry) => MARKER.test(entry.text));
}

/** Returns an error message if the number of marked lines exceeds the maximum. */
export function checkLimit(count: number, max: number): string | undefined {
  if (count > max)
    return `${count} lines contain a discouraged phrase; at most ${max} are allowed. List them with: npm run prose -- --list`;
  return undefined;
}

function main(root: string): number {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 16_000_000,
  })
    .split('\n')
    .filter((file) => SOURCE.test(file) && !EXCLUDED.test(file));
  const markedLines = files.flatMap((file) => findMarkedLines(file, readFileSync(join(root, file), 'utf8')));
  if (process.argv.includes('--list'))
    for (const { file, line, text } of markedLines) console.log(`${file}:${line}  ${text}`);
  const problem = checkLimit(markedLines.length, MARKED_LINES_MAX);
  console.log(problem ?? `prose: ${files.length} files, ${markedLines.length} marked lines`);
  return problem === undefined ? 0 : 1;
}

if (import.meta.main) process.exitCode = main(dirname(import.meta.dirname));
