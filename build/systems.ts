import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { nodeFileName } from '../main/server/installation.ts';
import type { Target } from './shipped-packages.ts';
import { readNativeTarget, runsOn } from './native-files.ts';

export const SYSTEMS: readonly Target[] = (
  [
    ['linux', 'x64'],
    ['linux', 'arm64'],
    ['darwin', 'arm64'],
    ['darwin', 'x64'],
    ['win32', 'x64'],
    ['win32', 'arm64'],
  ] as const
).map(([platform, arch]) => ({ platform, arch, musl: false }));

/** Suffixes of argon2's native packages, named like compiler targets. */
const ARGON2_SUFFIXES: Readonly<Record<string, string>> = { linux: '-gnu', win32: '-msvc', darwin: '' };

/** Returns the native parts that are missing for a system, with a note if their package has no build for it. */
export function missingParts(root: string, { platform, arch }: Target): readonly string[] {
  const modules = join(root, 'node_modules');
  const parts: string[] = [];
  const node = join(modules, 'node', 'bin', nodeFileName(platform));
  const nodeBinary = existsSync(node) ? readNativeTarget(node) : null;
  if (nodeBinary === null || !runsOn(nodeBinary, { platform, arch })) parts.push(`Node for ${platform} ${arch}`);
  const argon2 = `@node-rs/argon2-${platform}-${arch}${ARGON2_SUFFIXES[platform] ?? ''}`;
  if (!existsSync(join(modules, argon2))) parts.push(argon2);
  if (!existsSync(join(modules, 'better-sqlite3', 'prebuilds', `${platform}-${arch}.node`)))
    parts.push('better-sqlite3 (not built for this system)');
  if (!existsSync(join(modules, 'isolated-vm', 'prebuilds', `${platform}-${arch}`)))
    parts.push('isolated-vm (not built for this system: functions cannot run)');
  return parts;
}
