import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zipOf } from '../../server/pda/functions/packages/zip.test-support.ts';
import { MAX_FUNCTION_RUN_MS } from '../../server/wire/limits.ts';

// The example functions as installable packages.

const EXAMPLES = join(import.meta.dirname, '../../examples/functions');

const folders: string[] = [];
export const removePackages = (): void => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
};

/**
 * Copies an example function, optionally with a different version. The copy has the longest allowed time limit, because
 * the sandbox has the lowest priority and a busy machine may start it late.
 */
export const copyExample = (id: string, version?: string): string => {
  const parent = mkdtempSync(join(tmpdir(), 'pda-example-'));
  folders.push(parent);
  const folder = join(parent, id);
  cpSync(join(EXAMPLES, id), folder, { recursive: true });
  /** Finds the text that matches the pattern in a file, and replaces the number in this text. */
  const setNumber = (file: string, pattern: RegExp, number: string): void => {
    const text = readFileSync(join(folder, file), 'utf8');
    const [match] = pattern.exec(text) ?? [];
    if (match === undefined) throw new Error(`${file} of ${id} does not match ${String(pattern)}`);
    writeFileSync(join(folder, file), text.replace(match, match.replace(/[\d.]+/u, number)));
  };
  setNumber('manifest.json', /"timeoutMs": \d+/u, String(MAX_FUNCTION_RUN_MS));
  if (version !== undefined) {
    setNumber('manifest.json', /"version": "[^"]*"/u, version);
    setNumber('function.js', /version: '[^']*'/u, version);
  }
  return folder;
};

/** Returns an example function as a ZIP archive that contains its folder, as a file manager creates it. */
export const exampleZip = (id: string, version?: string): Buffer => {
  const folder = copyExample(id, version);
  return zipOf(
    readdirSync(folder).map((name) => ({ name: `${id}/${name}`, content: readFileSync(join(folder, name)) })),
  );
};
