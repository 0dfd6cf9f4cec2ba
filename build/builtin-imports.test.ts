import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { askForBuiltins } from './builtin-imports.ts';

const folder = mkdtempSync(join(tmpdir(), 'pda-imports-'));
afterAll(() => rmSync(folder, { recursive: true }));

const CODE = `export const first = () => joined("a", "b");
import { join as joined, sep } from "node:path";
import os, { EOL } from "node:os";
import * as all from "node:url";
import {
  hash,
  randomUUID as id
} from "node:crypto";
import { other } from "./other.js";
import "node:net";
export const rest = [sep, typeof os.cpus, EOL, typeof all.fileURLToPath, typeof hash, id().length, other, first()];
`;

it('gives code that means the same, and imports nothing of what Node has itself', async () => {
  const asked = askForBuiltins(CODE);
  expect(asked.match(/^import .*$/gmu)).toStrictEqual(['import { other } from "./other.js";', 'import "node:net";']);
  writeFileSync(join(folder, 'other.js'), 'export const other = 7;');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const rest = async (name: string, code: string): Promise<unknown> => {
    writeFileSync(join(folder, name), code);
    const loaded: { rest: unknown } = await import(/* @vite-ignore */ pathToFileURL(join(folder, name)).href);
    return loaded.rest;
  };
  expect(await rest('asked.js', asked)).toStrictEqual(await rest('imported.js', CODE));
});
