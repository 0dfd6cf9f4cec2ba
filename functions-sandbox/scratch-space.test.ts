import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createScratchSpace } from './scratch-space.cjs';

let folder: string;
let request: (...args: unknown[]) => string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pda scratch '));
  request = createScratchSpace({ folder, maxBytes: 1000, chunkBytes: 400 });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('scratch files', () => {
  it('are limited in total bytes, and deleted files release their space', () => {
    expect([
      request('write', 'a', 'x'.repeat(400)),
      request('append', 'a', 'x'.repeat(400)),
      request('write', 'b', 'x'.repeat(200)),
    ]).toEqual(['=', '=', '=']);
    expect(request('append', 'b', 'x')).toBe('!the limit of 1000 bytes is exceeded');
    expect(request('write', 'b', 'x'.repeat(200))).toBe('=');
    expect(request('remove', 'a')).toBe('=');
    expect(request('append', 'b', 'x'.repeat(400))).toBe('=');
    expect(request('list')).toBe('=[{"name":"b","bytes":600}]');
    expect(request('size', 'b')).toBe('=600');
    expect(request('read', 'b', '', 590)).toBe(`=${'x'.repeat(10)}`);
  });

  it('can be overwritten by shorter and longer content', () => {
    for (const text of ['long text', 'x', '', 'longer than all before']) {
      expect(request('write', 'a', text)).toBe('=');
      expect(request('read', 'a', '', 0)).toBe(`=${text}`);
      expect(request('size', 'a')).toBe(`=${text.length}`);
    }
  });

  it('are stored under numbers instead of the names that the function chose, and invalid names are refused', () => {
    request('write', 'name.txt', 'x');
    expect(readdirSync(folder)).toEqual(['1']);
    for (const name of ['../a', 'a/b', 'a\\b', '.', '..', '', '\0', 'x'.repeat(101)])
      expect(request('write', name, 'x')).toMatch(/^!a name has/);
  });
});

describe('a scratch operation', () => {
  it('responds to invalid arguments without throwing', () => {
    const nonsense = [undefined, null, 1, {}, [], () => 1, 'x'.repeat(401), Number.NaN, -1, 1e300];
    for (const operation of ['write', 'append', 'size', 'read', 'remove', 'list', 'open', ...nonsense])
      for (const name of ['a', ...nonsense])
        for (const chunk of ['x', ...nonsense])
          for (const from of [0, ...nonsense]) expect(request(operation, name, chunk, from)).toMatch(/^[=!]/);
    expect(request('write', 'a', 'x'.repeat(401))).toBe('!the chunk is too large');
    expect(request('read', 'gone')).toBe('!there is no file "gone"');
  });

  it('returns an error message if the scratch folder is missing', () => {
    rmSync(folder, { recursive: true });
    expect(request('write', 'a', 'x')).toBe('!the file could not be read or written');
  });
});
