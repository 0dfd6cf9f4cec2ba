import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseModule } from './module-facts.ts';
import type { Finding } from './walls.ts';

/** Shorter source files need a reason in `SHORT_FILES`. */
const LINES_MIN = 15;
const LINES_MAX = 400;

const SHORT_FILES: readonly { readonly files: RegExp; readonly reason: string }[] = [
  { files: /\/index\.ts$/u, reason: 'the public surface of a room' },
  { files: /\/migrations\/\d{4}-[a-z-]+\.ts$/u, reason: 'each migration has its own file' },
  { files: /\/messages\//u, reason: 'a message catalogue per subject and language' },
  { files: /^renderer\/.*\.tsx$/u, reason: 'one component per file' },
  { files: /\/(?:cli|main|version|[a-z-]+-worker)\.ts$/u, reason: 'an entry point or a constant of one program' },
  { files: /\.d\.ts$/u, reason: 'declarations for a tool' },
  { files: /^server\/platform\//u, reason: 'one helper per file, named after what it provides' },
  { files: /\/status\.ts$/u, reason: 'maps states to badges, for several components' },
  {
    files:
      /\/(?:token-scope|text-excerpt|plain-url|password-generator|fingerprint|pause|short-count|local-address)\.ts$/u,
    reason: 'a small self-contained helper',
  },
  { files: /^main\/texts\/catalogue\.ts$/u, reason: 'chooses among the catalogues of texts' },
  {
    files:
      /^server\/wire\/(?:backup-folder|current-permission|erasure-steps|guest-paths|language|normalize|values)\.ts$/u,
    reason: 'used by the server and the dashboard, so it contains no schemas',
  },
  {
    files: /\/color-scheme\.js$/u,
    reason: 'runs before the first paint; the Content-Security-Policy forbids inline scripts',
  },
];

const NOT_SOURCE = /\.test(?:-support)?\.tsx?$|^(?:tests|bench|docs|examples)\/|^[^/]+$/u;
const CATALOGUE = /\/messages\//u;

/**
 * Returns the folder in which an exported name must be unique: a wing, another folder of `server` or `renderer`, or
 * another top-level folder.
 */
const uniquenessScopeOf = (file: string): string =>
  /^(?:server\/pda\/[a-z]+|(?:server|renderer)\/[a-z]+|[a-z-]+)(?=\/)/u.exec(file)?.[0] ?? file;

/**
 * Checks the size of source files, and that no two files with the same uniqueness scope export the same name.
 * Message catalogues may share names.
 */
export function checkSourceShape(root: string, files: readonly string[]): Finding[] {
  const findings: Finding[] = [];
  const exporters = new Map<string, string>();
  for (const file of files) {
    if (NOT_SOURCE.test(file)) continue;
    const { lines, exportedNames } = parseModule(file, readFileSync(join(root, file), 'utf8'));
    const report = (rule: string, problem: string, why: string): void => {
      findings.push({ severity: 'error', file, line: 1, rule, problem, why });
    };
    if (lines > LINES_MAX)
      report('file-size', `${lines} lines`, `split the file by subject; the limit is ${LINES_MAX}`);
    if (lines < LINES_MIN && !SHORT_FILES.some((shortFile) => shortFile.files.test(file)))
      report('file-size', `${lines} lines`, 'move the code to where it is used, or give a reason in SHORT_FILES');
    if (CATALOGUE.test(file)) continue;
    for (const name of new Set(exportedNames)) {
      const key = `${uniquenessScopeOf(file)} ${name}`;
      const otherFile = exporters.get(key);
      if (otherFile === undefined) exporters.set(key, file);
      else report('unique-exports', name, `${otherFile} exports this name too: add the subject to one of them`);
    }
  }
  return findings;
}
