import { beforeAll, describe, expect, it } from 'vitest';
import { lockMaster, newMasterKey, openKeyFile, readKeyFile, writeKeyFile, type KeyFile } from './key-file.ts';

const PASSPHRASE = 'seven quiet herons over the marsh';
const master = newMasterKey();
let file: KeyFile;
let recoveryKey: string;
beforeAll(async () => {
  ({ file, recoveryKey } = await lockMaster(master, '0123456789abcdef', PASSPHRASE));
});

describe('a key file', () => {
  it('opens with the passphrase and with the recovery key', async () => {
    const parsed = readKeyFile(writeKeyFile(file));
    expect(await openKeyFile(parsed, { passphrase: PASSPHRASE })).toStrictEqual(master);
    expect(await openKeyFile(parsed, { recoveryKey })).toStrictEqual(master);
  });

  it('is rejected if it was changed, even with the right secret', async () => {
    // The archive id and the other secret are not needed to decrypt the master key. Only the check value covers them.
    const renamed = readKeyFile(writeKeyFile({ ...file, archive: 'fedcba9876543210' }));
    await expect(openKeyFile(renamed, { passphrase: PASSPHRASE })).rejects.toThrow('it was changed');
    const recovery = {
      ...file.recovery,
      wrapped: file.recovery.wrapped.replace(/^./u, (character) => (character === 'A' ? 'B' : 'A')),
    };
    await expect(
      openKeyFile(readKeyFile(writeKeyFile({ ...file, recovery })), { passphrase: PASSPHRASE }),
    ).rejects.toThrow('it was changed');
  });
});
