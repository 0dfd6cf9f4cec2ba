import { closeSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Target of a native binary, from its header. A Mach-O file may support several architectures. */
export type NativeTarget = { readonly platform: 'linux' | 'darwin' | 'win32'; readonly archs: readonly string[] };

const HEADER_BYTES = 4096;

const ELF_MAGIC = 0x7f454c46;
/** ELF machine numbers. The system field is not checked, because Linux leaves it empty. */
const ELF_ARCHS: Readonly<Record<number, string>> = { 3: 'ia32', 40: 'arm', 62: 'x64', 183: 'arm64', 243: 'riscv64' };
const MACH_O_64 = 0xfeedfacf;
const MACH_O_FAT = 0xcafebabe;
/**
 * Mach-O files have fewer architectures than this. Java class files have the same magic number, followed by a version
 * that is larger than this.
 */
const FAT_ARCHS_LIMIT = 18;
const MACH_O_ARCHS: Readonly<Record<number, string>> = { 0x01000007: 'x64', 0x0100000c: 'arm64' };
const PE_ARCHS: Readonly<Record<number, string>> = { 0x014c: 'ia32', 0x8664: 'x64', 0xaa64: 'arm64' };

export function parseNativeHeader(head: Buffer): NativeTarget | null {
  if (head.length < 64) return null;
  const magic = head.readUInt32BE(0);
  if (magic === ELF_MAGIC) {
    const isLittleEndian = head[5] === 1;
    const machine = isLittleEndian ? head.readUInt16LE(18) : head.readUInt16BE(18);
    return { platform: 'linux', archs: [nameOf(ELF_ARCHS, machine)] };
  }
  if (head.readUInt32LE(0) === MACH_O_64)
    return { platform: 'darwin', archs: [nameOf(MACH_O_ARCHS, head.readUInt32LE(4))] };
  const archCount = head.readUInt32BE(4);
  if (magic === MACH_O_FAT && archCount > 0 && archCount < FAT_ARCHS_LIMIT) {
    const archs = Array.from({ length: archCount }, (_, index) =>
      nameOf(MACH_O_ARCHS, head.readUInt32BE(8 + index * 20)),
    );
    return { platform: 'darwin', archs };
  }
  if (head.toString('latin1', 0, 2) !== 'MZ') return null;
  // The DOS header stores the offset of the PE header at 0x3c.
  const peOffset = head.readUInt32LE(0x3c);
  if (peOffset + 6 > head.length || head.toString('latin1', peOffset, peOffset + 4) !== 'PE\0\0') return null;
  return { platform: 'win32', archs: [nameOf(PE_ARCHS, head.readUInt16LE(peOffset + 4))] };
}

/** Returns the native binaries below a folder. Paths have forward slashes. */
export function nativeFilesIn(folder: string): readonly (NativeTarget & { readonly path: string })[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const path = join(folder, name);
    if (!lstatSync(path).isFile()) return [];
    const native = readNativeTarget(path);
    return native === null ? [] : [{ ...native, path: relative(folder, path).replaceAll('\\', '/') }];
  });
}

export function runsOn(
  native: NativeTarget,
  target: { readonly platform: NodeJS.Platform; readonly arch: string },
): boolean {
  return native.platform === target.platform && native.archs.includes(target.arch);
}

/** Returns the target of a file; null if it is not a native binary. @throws {Error} if the file cannot be read */
export function readNativeTarget(path: string): NativeTarget | null {
  const descriptor = openSync(path, 'r');
  try {
    const head = Buffer.alloc(HEADER_BYTES);
    return parseNativeHeader(head.subarray(0, readSync(descriptor, head, 0, HEADER_BYTES, 0)));
  } finally {
    closeSync(descriptor);
  }
}

function nameOf(names: Readonly<Record<number, string>>, number: number): string {
  return names[number] ?? `0x${number.toString(16)}`;
}
