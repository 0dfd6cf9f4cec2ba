import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zipOf } from '../../server/pda/functions/packages/zip.test-support.ts';

/** The example functions as installable packages. */

const EXAMPLES = join(import.meta.dirname, '../../examples/functions');

const folders: string[] = [];
export const removePackages = (): void => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
};

/** Copies an example function, optionally with another version. */
export const exampleFolder = (id: string, version?: string): string => {
  const parent = mkdtempSync(join(tmpdir(), 'pda-example-'));
  folders.push(parent);
  const folder = join(parent, id);
  cpSync(join(EXAMPLES, id), folder, { recursive: true });
  if (version !== undefined) {
    for (const [file, before] of [
      ['manifest.json', /"version": "[^"]*"/u],
      ['function.js', /version: '[^']*'/u],
    ] as const) {
      const text = readFileSync(join(folder, file), 'utf8');
      const [versionText] = before.exec(text) ?? [];
      if (versionText === undefined) throw new Error(`${file} of ${id} has no version`);
      writeFileSync(join(folder, file), text.replace(versionText, versionText.replace(/[\d.]+/u, version)));
    }
  }
  return folder;
};

/** Packs the folder with its files, like a file manager does. */
export const exampleZip = (id: string, version?: string): Buffer => {
  const folder = exampleFolder(id, version);
  return zipOf(
    readdirSync(folder).map((name) => ({ name: `${id}/${name}`, content: readFileSync(join(folder, name)) })),
  );
};
