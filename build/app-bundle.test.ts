import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleApp } from './app-bundle.ts';
import { drawIcon } from './icon.ts';
import { readModule } from './imports-of.ts';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'app-bundle-'));
  await bundleApp(dirname(import.meta.dirname), folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the bundle of the desktop shell', () => {
  it('needs Electron and Node and nothing else', () => {
    const { imports } = readModule('main.ts', readFileSync(join(folder, 'main.mjs'), 'utf8'));
    const needed = imports.map(({ specifier }) => specifier ?? '<computed>');
    expect(needed).toContain('electron');
    expect(needed.filter((specifier) => specifier !== 'electron' && !specifier.startsWith('node:'))).toEqual([]);
  });

  it('is a module that its package.json names, with the version of the project', () => {
    const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
    const { version } = read(join(import.meta.dirname, '..', 'package.json')) as { version: string };
    expect(read(join(folder, 'package.json'))).toMatchObject({
      main: 'main.mjs',
      type: 'module',
      productName: 'Personal Data Account',
      version,
    });
  });

  it('brings the icons of the tray', () => {
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining(['tray.png', 'tray@2x.png', 'trayTemplate.png', 'trayTemplate@2x.png']),
    );
  });
});

describe('the icon', () => {
  it.each(['app', 'mark', 'template'] as const)('is a PNG of the size asked for: %s', (kind) => {
    const png = drawIcon(32, kind);
    expect(png.subarray(1, 4).toString('latin1')).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([32, 32]);
  });

  it('is the same every time, so that a build can be repeated', () => {
    expect(drawIcon(48, 'app').equals(drawIcon(48, 'app'))).toBe(true);
  });
});
