import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAuditReport } from '../build/audit.ts';
import { SHIPPED_DEV_DEPENDENCIES, createSbom, selectShipped } from '../build/sbom.ts';
import { ROOT } from './support/paths.ts';

const PROJECT = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};
const RUNTIME_PACKAGES = Object.keys(PROJECT.dependencies);
const DOCUMENT = readFileSync(join(ROOT, 'docs/dependencies.md'), 'utf8');
const [PACKAGES = '', OWN_CODE = ''] = DOCUMENT.split('\n## In-house code and packages');
const rowsOf = (text: string): string[][] =>
  [...text.matchAll(/^\| (?!package |code |---)(.+) \|$/gmu)].map(([, row = '']) => row.split(' | '));
const ROWS = rowsOf(PACKAGES);

/** Code in these folders is bundled. */
const BUNDLED_FOLDERS = ['renderer', 'main'];
const IMPORT = /(?:\bfrom|\bimport\(?)\s*'(?<name>(?:@[\w.-]+\/)?[a-z][\w.-]*)(?:\/[^']*)?'/gu;

const findImportedPackages = (folder: string): Set<string> => {
  const names = new Set<string>();
  for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
    if (
      !/\.tsx?$/u.test(entry.name) ||
      /\.test(?:-support)?\.|vite\.config|\/dist\b/u.test(join(entry.parentPath, entry.name))
    )
      continue;
    const text = readFileSync(join(entry.parentPath, entry.name), 'utf8');
    // Type imports are erased.
    for (const line of text.split('\n').filter((candidate) => !/^import type\b/u.test(candidate)))
      for (const { groups } of line.matchAll(IMPORT)) names.add(groups?.['name'] ?? '');
  }
  return names;
};

describe('the dependency list', () => {
  it('has a complete row for each shipped package and no other rows', () => {
    const names = ROWS.map(([name = '']) => name);
    expect(names.toSorted()).toEqual([...RUNTIME_PACKAGES, ...SHIPPED_DEV_DEPENDENCIES].toSorted());
    for (const row of ROWS) {
      expect(row).toHaveLength(4);
      for (const cell of row) expect(cell.trim()).not.toBe('');
    }
  });

  it('has no empty cells in the table of in-house code', () => {
    const rows = rowsOf(OWN_CODE);
    expect(rows.length).toBeGreaterThan(20);
    for (const row of rows) {
      expect(row).toHaveLength(4);
      for (const cell of row) expect(cell.trim()).not.toBe('');
    }
  });

  it('names only existing files', () => {
    const paths = [...DOCUMENT.matchAll(/`(?<path>(?:server|tests|functions-sandbox|build)\/[\w./-]+)`/gu)];
    expect(paths.length).toBeGreaterThan(5);
    expect(paths.map(({ groups }) => groups?.['path'] ?? '').filter((path) => !existsSync(join(ROOT, path)))).toEqual(
      [],
    );
  });

  it('contains every package bundled into the dashboard and the desktop app', () => {
    const listedPackages = new Set([...RUNTIME_PACKAGES, ...SHIPPED_DEV_DEPENDENCIES]);
    const importedPackages = BUNDLED_FOLDERS.flatMap((folder) => [...findImportedPackages(folder)]);
    expect(importedPackages).toContain('react');
    expect([...new Set(importedPackages)].filter((name) => !listedPackages.has(name))).toEqual([]);
  });
});

describe('package.json', () => {
  it('pins exact versions, so that the tested ones are shipped', () => {
    for (const [name, version] of Object.entries({ ...PROJECT.dependencies, ...PROJECT.devDependencies }))
      expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/u)]);
  });
});

describe('the bill of materials', () => {
  it('contains everything that ships, with version, hash and licence, and no development tools', async () => {
    const { bomFormat, components } = await createSbom(ROOT);
    expect(bomFormat).toBe('CycloneDX');
    const names = new Set(components.map(({ name }) => name));
    // A package can contain a different version of a package that is also used directly.
    const packages = new Set(components.map(({ name, version }) => `${name}@${version}`));
    const dependencies = { ...PROJECT.devDependencies, ...PROJECT.dependencies };
    for (const name of [...RUNTIME_PACKAGES, ...SHIPPED_DEV_DEPENDENCIES])
      expect([...packages]).toContain(`${name}@${dependencies[name] ?? ''}`);
    for (const tool of [
      'vite',
      'vitest',
      'typescript',
      '@playwright/test',
      'electron-builder',
      '@koa/bodyparser',
      'autocannon',
    ])
      expect([tool, names.has(tool)]).toEqual([tool, false]);
    // Transitive dependencies are included.
    expect(names.has('sonic-boom')).toBe(true);
    const incompleteComponents = components.filter(
      (component) => !('hashes' in component) || !('licenses' in component),
    );
    expect(incompleteComponents.map(({ name }) => name)).toEqual([]);
  });

  it('is not created if a shipped package is missing', () => {
    const bom = {
      bomFormat: 'CycloneDX',
      metadata: { component: { 'bom-ref': 'p' } },
      components: [
        { 'bom-ref': 'a@1', name: 'a', version: '1' },
        { 'bom-ref': 'b@1', name: 'b', version: '1' },
        { 'bom-ref': 't@1', name: 't', version: '1' },
      ],
      dependencies: [
        { ref: 'p', dependsOn: ['a@1', 't@1'] },
        { ref: 'a@1', dependsOn: ['b@1'] },
        { ref: 't@1', dependsOn: ['b@1'] },
      ],
    };
    expect(selectShipped(bom, ['a']).components.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(() => selectShipped(bom, ['gone'])).toThrow('gone is part of the product but not installed');
  });
});

describe('the vulnerability audit', () => {
  it('reports findings, no findings, or that the registry cannot be queried', () => {
    expect(parseAuditReport('{"vulnerabilities":{}}').kind).toBe('clean');
    expect(parseAuditReport('{"vulnerabilities":{"a":{"severity":"high","range":"<2"}}}')).toEqual({
      kind: 'vulnerable',
      message: 'a <2: high',
    });
    expect(parseAuditReport('{"message":"405 Method Not Allowed"}')).toEqual({
      kind: 'skipped',
      message: 'the registry cannot be queried: 405 Method Not Allowed',
    });
    expect(parseAuditReport('').kind).toBe('skipped');
  });
});
