import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
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
  await vaultOn().store('backup', 'correct horse');
  await vaultOn().store('relay', 'other');
  const content = readFileSync(file(), 'utf8');
  expect(content).not.toContain('correct horse');
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(await vaultOn().read('backup')).toBe('correct horse');
  expect(await vaultOn().read('relay')).toBe('other');
  expect(await vaultOn().read('toString')).toBeUndefined();
  vaultOn().remove('backup');
  expect(await vaultOn().read('backup')).toBeUndefined();
});

it('rejects secrets on Linux without a keyring', async () => {
  for (const backend of ['basic_text', 'unknown'] as const) {
    safeStorage.backend = backend;
    expect(await vaultOn().checkAvailability()).toEqual({
      available: false,
      reason: expect.stringContaining('No keyring'),
    });
    await expect(vaultOn().store('backup', 'x')).rejects.toThrow('No keyring');
  }
  expect(existsSync(file())).toBe(false);
  // Only Linux has backends without encryption.
  expect(await vaultOn('darwin').checkAvailability()).toEqual({ available: true });
});

it('rejects secrets while the keyring is unavailable', async () => {
  safeStorage.available = false;
  await expect(vaultOn('darwin').store('backup', 'x')).rejects.toThrow('locked');
});

it('returns no secret encrypted with a different key or stored in an invalid vault, and re-encrypts when the system requests it', async () => {
  await vaultOn().store('backup', 'x');
  const initialContent = readFileSync(file(), 'utf8');
  safeStorage.key = 'k2';
  expect(await vaultOn().read('backup')).toBeUndefined();
  safeStorage.key = 'k1';
  safeStorage.shouldReEncrypt = true;
  const encrypt = vi.spyOn(safeStorage, 'encryptStringAsync');
  expect(await vaultOn().read('backup')).toBe('x');
  expect(encrypt).toHaveBeenCalledTimes(1);
  encrypt.mockRejectedValueOnce(new Error('locked'));
  expect(await vaultOn().read('backup')).toBe('x');
  expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual(JSON.parse(initialContent));
  writeFileSync(file(), '{"backup":7}');
  expect(await vaultOn().read('backup')).toBeUndefined();
});
