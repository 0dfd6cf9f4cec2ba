import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { nodeFileName } from '../main/server/installation.ts';
import type { Target } from './carried-packages.ts';
import { nativeFile, runsOn } from './native-files.ts';

/** Systems with installers. */
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

/** Suffixes of the native packages of argon2, named like compiler targets. */
const ARGON2_ENDING: Readonly<Record<string, string>> = { linux: '-gnu', win32: '-msvc', darwin: '' };

/**
 * Returns the missing native parts for a system; empty if the app can be staged from this folder. `npm ci --os=…
 * --cpu=…` in another checkout installs those that npm has; parts without a package are reported as such.
 */
export function missingParts(root: string, { platform, arch }: Target): readonly string[] {
  const modules = join(root, 'node_modules');
  const missing: string[] = [];
  const node = join(modules, 'node', 'bin', nodeFileName(platform));
  const found = existsSync(node) ? nativeFile(node) : null;
  if (found === null || !runsOn(found, { platform, arch })) missing.push(`Node for ${platform} ${arch}`);
  const argon2 = `@node-rs/argon2-${platform}-${arch}${ARGON2_ENDING[platform] ?? ''}`;
  if (!existsSync(join(modules, argon2))) missing.push(argon2);
  if (!existsSync(join(modules, 'better-sqlite3', 'prebuilds', `${platform}-${arch}.node`)))
    missing.push('better-sqlite3 (not built for it)');
  if (!existsSync(join(modules, 'isolated-vm', 'prebuilds', `${platform}-${arch}`)))
    missing.push('isolated-vm (not built for it: functions cannot run)');
  return missing;
}
