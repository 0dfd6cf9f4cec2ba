import { beforeAll, describe, expect, it } from 'vitest';
import { createKeyFile, newMasterKey, openKeyFile, parseKeyFile, formatKeyFile, type KeyFile } from './key-file.ts';

const PASSPHRASE = 'seven quiet herons over the marsh';
const masterKey = newMasterKey();
let file: KeyFile;
let recoveryKey: string;
beforeAll(async () => {
  ({ file, recoveryKey } = await createKeyFile(masterKey, '0123456789abcdef', PASSPHRASE));
});

describe('a key file', () => {
  it('opens with the passphrase and with the recovery key', async () => {
    const parsedFile = parseKeyFile(formatKeyFile(file));
    expect(await openKeyFile(parsedFile, { passphrase: PASSPHRASE })).toStrictEqual(masterKey);
    expect(await openKeyFile(parsedFile, { recoveryKey })).toStrictEqual(masterKey);
  });

  it('is rejected if it was changed, even with the right secret', async () => {
    // Only the check value protects the archive id and the key that is wrapped with the other secret, because
    // decryption with the passphrase uses neither.
    const renamedFile = parseKeyFile(formatKeyFile({ ...file, archive: 'fedcba9876543210' }));
    await expect(openKeyFile(renamedFile, { passphrase: PASSPHRASE })).rejects.toThrow('it was changed');
    const recovery = {
      ...file.recovery,
      wrapped: file.recovery.wrapped.replace(/^./u, (character) => (character === 'A' ? 'B' : 'A')),
    };
    await expect(
      openKeyFile(parseKeyFile(formatKeyFile({ ...file, recovery })), { passphrase: PASSPHRASE }),
    ).rejects.toThrow('it was changed');
  });
});
