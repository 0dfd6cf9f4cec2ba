import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readNativeTarget, nativeFilesIn, parseNativeHeader, runsOn } from './native-files.ts';

const ROOT = dirname(import.meta.dirname);
const headOf = (...parts: readonly (readonly [offset: number, bytes: readonly number[]])[]): Buffer => {
  const head = Buffer.alloc(512);
  for (const [offset, bytes] of parts) head.set(bytes, offset);
  return head;
};
const elf = (machine: number): Buffer => headOf([0, [0x7f, 0x45, 0x4c, 0x46, 2, 1]], [18, [machine, 0]]);
const pe = (low: number, high: number): Buffer =>
  headOf([0, [0x4d, 0x5a]], [0x3c, [0x80]], [0x80, [0x50, 0x45, 0, 0, low, high]]);

const folder = mkdtempSync(join(tmpdir(), 'native-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a native binary', () => {
  it.each([
    ['ELF x64', elf(62), 'linux', ['x64']],
    ['ELF arm64', elf(183), 'linux', ['arm64']],
    ['ELF of an unknown architecture', elf(21), 'linux', ['0x15']],
    ['Mach-O arm64', headOf([0, [0xcf, 0xfa, 0xed, 0xfe, 0x0c, 0, 0, 0x01]]), 'darwin', ['arm64']],
    [
      'Mach-O for two architectures',
      headOf([0, [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 2, 1, 0, 0, 7]], [28, [1, 0, 0, 0x0c]]),
      'darwin',
      ['x64', 'arm64'],
    ],
    ['PE x64', pe(0x64, 0x86), 'win32', ['x64']],
    ['PE arm64', pe(0x64, 0xaa), 'win32', ['arm64']],
  ])('is recognised with platform and architecture: %s', (_format, head, platform, archs) => {
    expect(parseNativeHeader(head)).toEqual({ platform, archs });
  });

  it.each([
    ['text', Buffer.from('#!/bin/sh\n'.repeat(20))],
    ['a Java class', headOf([0, [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61]])],
    ['a DOS program', headOf([0, [0x4d, 0x5a]])],
    ['a truncated header', elf(62).subarray(0, 20)],
    ['an empty file', Buffer.alloc(0)],
    ['a PE header outside of the file', headOf([0, [0x4d, 0x5a]], [0x3c, [0xff, 0xff, 0xff, 0x7f]])],
  ])('is not recognised in %s', (_content, head) => {
    expect(parseNativeHeader(head)).toBeNull();
  });

  it('is found by content, not by name', () => {
    mkdirSync(join(folder, 'deep'));
    writeFileSync(join(folder, 'deep', 'helper'), elf(183));
    writeFileSync(join(folder, 'fake.node'), 'text');
    expect(nativeFilesIn(folder)).toEqual([{ path: 'deep/helper', platform: 'linux', archs: ['arm64'] }]);
  });

  it('runs only on its own platform and architecture', () => {
    const universal = { platform: 'darwin', archs: ['x64', 'arm64'] } as const;
    expect(runsOn(universal, { platform: 'darwin', arch: 'arm64' })).toBe(true);
    expect(runsOn(universal, { platform: 'linux', arch: 'arm64' })).toBe(false);
    expect(runsOn({ platform: 'linux', archs: ['x64'] }, { platform: 'linux', arch: 'arm64' })).toBe(false);
  });

  it('is recognised in the running Node and in a package', () => {
    const node = readNativeTarget(process.execPath);
    expect(node !== null && runsOn(node, process)).toBe(true);
    const prebuilt = readNativeTarget(join(ROOT, 'node_modules/better-sqlite3/prebuilds/win32-arm64.node'));
    expect(prebuilt).toEqual({ platform: 'win32', archs: ['arm64'] });
  });
});
