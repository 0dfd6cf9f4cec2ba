import { describe, expect, it } from 'vitest';
import { createProjection } from './projection.ts';

const TEXT = '{"b":1.0,"a":{"y":12345678901234567890,"x":{"z":"ü"}},"list":[{"q":1}],"none":null}';

describe('the values at paths', () => {
  it('are copied unchanged, in the order of the paths', () => {
    expect(createProjection(['a.y', 'b', 'list', 'none', 'a.x', 'missing', 'a.missing']).values(TEXT)).toEqual([
      '12345678901234567890',
      '1.0',
      '[{"q":1}]',
      'null',
      '{"z":"ü"}',
      undefined,
      undefined,
    ]);
  });

  it('do not come from inside lists and numbers', () => {
    expect(createProjection(['list.q', 'list.0', 'b.c']).values(TEXT)).toEqual([undefined, undefined, undefined]);
  });

  it('come from a member whose own name contains dots rather than from a nested one, in either order', () => {
    for (const text of ['{"a.b":1,"a":{"b":2}}', '{"a":{"b":2},"a.b":1}'])
      expect(createProjection(['a.b']).values(text)).toEqual(['1']);
    expect(createProjection(['a.b.c']).values('{"a":{"b":{"c":1},"b.c":2}}')).toEqual(['2']);
    expect(createProjection(['a.b.c']).values('{"a.b":{"c":1}}')).toEqual([undefined]);
  });

  it('are the whole value for the empty path', () => {
    for (const text of ['5', '"x"', '[1]', TEXT]) expect(createProjection(['', 'b']).values(text)[0]).toBe(text);
    expect(createProjection(['b']).values('[1]')).toEqual([undefined]);
  });

  it('are found under `__proto__`, and under names with dots, quotes or escapes', () => {
    const names = ['__proto__', 'constructor', '', '"', '\\', 'a\nb', '.', 'x.'];
    const text = `{${names.map((name, index) => `${JSON.stringify(name)}:${index}`).join(',')}}`;
    expect(createProjection(names.filter((name) => name !== '')).values(text)).toEqual(
      names.flatMap((name, index) => (name === '' ? [] : String(index))),
    );
  });

  it('are undefined for a path with more dots than JSON can have levels', () => {
    expect(createProjection([`a${'.a'.repeat(200_000)}`]).values('{"a":{"a":1}}')).toEqual([undefined]);
  });
});

describe('the selection of members', () => {
  it('contains only the selected members, in the order of the paths', () => {
    expect(createProjection(['list', 'a.x.z', 'b', 'missing', 'a.y']).select(TEXT)).toBe(
      '{"list":[{"q":1}],"a":{"x":{"z":"ü"},"y":12345678901234567890},"b":1.0}',
    );
  });

  it('contains an object once if it is selected with one of its members', () => {
    for (const paths of [
      ['a', 'a.y'],
      ['a.y', 'a'],
    ])
      expect(createProjection(paths).select('{"a":{"x":1,"y":2},"b":3}')).toBe('{"a":{"x":1,"y":2}}');
  });

  it('is the whole value for the empty path, and empty for a value without members', () => {
    expect(createProjection(['', 'b']).select(TEXT)).toBe(TEXT);
    expect(createProjection(['']).select('7')).toBe('7');
    expect(createProjection(['b']).select('7')).toBe('{}');
  });

  it('keeps the name `__proto__`, and names with quotes or dots', () => {
    const text = '{"__proto__":{"a":1,"b":2},"\\"":3,"a.b":{"c":4}}';
    expect(createProjection(['__proto__.a', '"', 'a.b']).select(text)).toBe(
      '{"__proto__":{"a":1},"\\"":3,"a.b":{"c":4}}',
    );
  });
});
