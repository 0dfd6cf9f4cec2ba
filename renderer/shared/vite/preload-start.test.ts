import { describe, expect, it } from 'vitest';
import { startFiles } from './preload-start.ts';

const chunk = (
  name: string,
  imports: readonly string[] = [],
  { isEntry = false, isDynamicEntry = false, bytes = 10 } = {},
) => ({
  type: 'chunk' as const,
  fileName: `${name}.js`,
  name,
  isEntry,
  isDynamicEntry,
  imports: imports.map((file) => `${file}.js`),
  code: 'x'.repeat(bytes),
});

const bundleOf = (...chunks: ReturnType<typeof chunk>[]): Parameters<typeof startFiles>[0] => ({
  'index.html': { type: 'asset' as const },
  ...Object.fromEntries(chunks.map((output) => [output.fileName, output])),
});

const MAIN = chunk('main', ['language'], { isEntry: true });
const LANGUAGE = chunk('language', ['helper']);
const HELPER = chunk('helper');
const START = chunk('start', ['shared', 'helper'], { isDynamicEntry: true });
const SHARED = chunk('shared', ['library']);
const PAGE = chunk('page', ['shared'], { isDynamicEntry: true, bytes: 2_000_000 });

describe('startFiles', () => {
  it('returns start.tsx and its imports, except scripts that the HTML already links', () => {
    const library = chunk('library', ['shared']);
    const bundle = bundleOf(MAIN, LANGUAGE, HELPER, START, SHARED, library, PAGE);
    expect(startFiles(bundle)).toEqual(['start.js', 'shared.js', 'library.js']);
  });

  it('fails the build if there is no chunk for start.tsx', () => {
    expect(() => startFiles(bundleOf(MAIN, LANGUAGE, HELPER, PAGE))).toThrow('start.tsx');
  });

  it.each([
    ['start.tsx', [MAIN, LANGUAGE, HELPER, START, SHARED, chunk('library', [], { bytes: 1_700_000 })]],
    ['the entry', [MAIN, chunk('language', [], { bytes: 1_700_000 }), HELPER, START]],
    ['both together', [MAIN, chunk('language', [], { bytes: 900_000 }), { ...START, code: 'x'.repeat(900_000) }]],
  ])('fails the build if the scripts of %s are too large', (_, chunks) => {
    expect(() => startFiles(bundleOf(...chunks))).toThrow('bytes of scripts');
  });
});
