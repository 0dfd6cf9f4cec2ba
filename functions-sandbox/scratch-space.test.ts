import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createScratchSpace } from './scratch-space.cjs';

let folder: string;
let ask: (...args: unknown[]) => string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pda scratch '));
  ask = createScratchSpace({ folder, maxBytes: 1000, chunkBytes: 400 });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('scratch files', () => {
  it('limits the total bytes and releases the space of deleted files', () => {
    expect([
      ask('write', 'a', 'x'.repeat(400)),
      ask('append', 'a', 'x'.repeat(400)),
      ask('write', 'b', 'x'.repeat(200)),
    ]).toEqual(['=', '=', '=']);
    expect(ask('append', 'b', 'x')).toBe('!the limit of 1000 bytes is exceeded');
    expect(ask('write', 'b', 'x'.repeat(200))).toBe('=');
    expect(ask('remove', 'a')).toBe('=');
    expect(ask('append', 'b', 'x'.repeat(400))).toBe('=');
    expect(ask('list')).toBe('=[{"name":"b","bytes":600}]');
    expect(ask('read', 'b', 'size')).toBe('=600');
    expect(ask('read', 'b', '', 590)).toBe(`=${'x'.repeat(10)}`);
  });

  it('can be overwritten by shorter and longer content', () => {
    for (const text of ['long text', 'x', '', 'longer than all before']) {
      expect(ask('write', 'a', text)).toBe('=');
      expect(ask('read', 'a', '', 0)).toBe(`=${text}`);
      expect(ask('read', 'a', 'size')).toBe(`=${text.length}`);
    }
  });

  it('are stored under numbers instead of guest names', () => {
    ask('write', 'name.txt', 'x');
    expect(readdirSync(folder)).toEqual(['1']);
    for (const name of ['../a', 'a/b', 'a\\b', '.', '..', '', '\0', 'x'.repeat(101)])
      expect(ask('write', name, 'x')).toMatch(/^!a name is/);
  });

  it('return error messages for invalid arguments', () => {
    const nonsense = [undefined, null, 1, {}, [], () => 1, 'x'.repeat(401), Number.NaN, -1, 1e300];
    for (const operation of ['write', 'append', 'read', 'remove', 'list', 'open', ...nonsense])
      for (const name of ['a', ...nonsense])
        for (const chunk of ['x', ...nonsense])
          for (const from of [0, ...nonsense]) expect(ask(operation, name, chunk, from)).toMatch(/^[=!]/);
    expect(ask('write', 'a', 'x'.repeat(401))).toBe('!the chunk is too large');
    expect(ask('read', 'gone')).toBe('!there is no file "gone"');
  });

  it('return an error message if their folder is missing', () => {
    rmSync(folder, { recursive: true });
    expect(ask('write', 'a', 'x')).toBe('!the file could not be reached');
  });
});
