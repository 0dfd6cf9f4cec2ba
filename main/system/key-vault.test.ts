import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { StandInSafeStorage } from '../electron.test-support.ts';
import { createKeyVault, type KeyVault } from './key-vault.ts';
import { en } from '../texts/en.ts';

let folder: string;
let safeStorage: StandInSafeStorage;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vault-'));
  safeStorage = new StandInSafeStorage();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (): string => join(folder, 'vault.json');
const vaultOn = (platform: NodeJS.Platform = 'linux'): KeyVault =>
  createKeyVault({ safeStorage, platform, file: file(), texts: en });

it('stores each secret encrypted under its name, readable only by the owner', async () => {
  await vaultOn().keep('backup', 'correct horse');
  await vaultOn().keep('__proto__', 'other');
  const content = readFileSync(file(), 'utf8');
  expect(content).not.toContain('correct horse');
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(await vaultOn().find('backup')).toBe('correct horse');
  expect(await vaultOn().find('toString')).toBeUndefined();
  vaultOn().forget('backup');
  expect(await vaultOn().find('backup')).toBeUndefined();
});

it('rejects secrets on Linux without a keyring', async () => {
  for (const backend of ['basic_text', 'unknown'] as const) {
    safeStorage.backend = backend;
    expect(await vaultOn().canKeep()).toEqual({ yes: false, why: expect.stringContaining('No keyring') });
    await expect(vaultOn().keep('backup', 'x')).rejects.toThrow('No keyring');
  }
  expect(existsSync(file())).toBe(false);
  // Elsewhere there is no such choice of keyrings.
  expect(await vaultOn('darwin').canKeep()).toEqual({ yes: true });
});

it('rejects secrets while the keyring is unavailable', async () => {
  safeStorage.available = false;
  await expect(vaultOn('darwin').keep('backup', 'x')).rejects.toThrow('locked');
});

it('ignores foreign and invalid vaults, and re-encrypts on request of the system', async () => {
  await vaultOn().keep('backup', 'x');
  const before = readFileSync(file(), 'utf8');
  safeStorage.key = 'k2';
  expect(await vaultOn().find('backup')).toBeUndefined();
  safeStorage.key = 'k1';
  safeStorage.rotated = true;
  expect(await vaultOn().find('backup')).toBe('x');
  expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual(JSON.parse(before));
  writeFileSync(file(), '{"backup":7}');
  expect(await vaultOn().find('backup')).toBeUndefined();
});
