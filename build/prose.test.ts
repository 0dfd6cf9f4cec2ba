import { describe, expect, it } from 'vitest';
import { findMarkedLines, checkLimit } from './prose.ts';

describe('findMarkedLines', () => {
  it('reports the file and line of markers in comments, string literals and identifiers', () => {
    const text = '// Nobody waits for this.\nconst a = 1;\nconst text = `is told`;\nconst createStrangers = 1;\n';
    expect(findMarkedLines('a.ts', text).map(({ file, line }) => `${file}:${line}`)).toEqual([
      'a.ts:1',
      'a.ts:3',
      'a.ts:4',
    ]);
  });

  it('accepts standard vocabulary', () => {
    expect(findMarkedLines('a.ts', '// The anonymous rate limiter counts requests per network.\n')).toEqual([]);
  });
});

describe('checkLimit', () => {
  it('accepts up to the allowed number of marked lines', () => {
    expect(checkLimit(3, 3)).toBeUndefined();
    expect(checkLimit(2, 3)).toBeUndefined();
  });

  it('rejects more marked lines than allowed', () => {
    expect(checkLimit(4, 3)).toContain('npm run prose -- --list');
  });
});
