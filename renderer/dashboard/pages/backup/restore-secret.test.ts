import { expect, it } from 'vitest';
import type { Restorable, RestoreSource } from '../../api/account/backup.ts';
import { findWithSecret } from './restore-secret.ts';

const REQUEST = { code: 'code', from: '/disk' };
const RECOVERY_KEY = 'ABCDE-FGHJK-MNPQR-STVWX-01234-56789-ABCDE-FGHJK';
const FIVE_LETTER_WORDS = 'heron marsh reeds river stone cloud grass birch';
const RESTORABLE: Restorable = { archive: '0123456789abcdef', backups: [] };

/** Creates a `find` function that accepts one secret. The error for any other secret names its kind. */
const createFind =
  (secret: RestoreSource['secret']) =>
  (source: RestoreSource): Promise<Restorable> =>
    JSON.stringify(source.secret) === JSON.stringify(secret)
      ? Promise.resolve(RESTORABLE)
      : Promise.reject(new Error(`wrong ${Object.keys(source.secret).join()}`));

it.each<[string, RestoreSource['secret']]>([
  [RECOVERY_KEY, { recoveryKey: RECOVERY_KEY }],
  [` ${RECOVERY_KEY.replaceAll('-', ' ')}\n`, { recoveryKey: RECOVERY_KEY.replaceAll('-', ' ') }],
  [FIVE_LETTER_WORDS, { passphrase: FIVE_LETTER_WORDS }],
  [' seven quiet herons ', { passphrase: ' seven quiet herons ' }],
])('finds backups with %j', async (text, secret) => {
  expect(await findWithSecret(REQUEST, text, createFind(secret))).toStrictEqual({
    source: { ...REQUEST, secret },
    restorable: RESTORABLE,
  });
});

it('reports the error of the recovery key only if the text has the form of one', async () => {
  const find = createFind({ passphrase: 'another passphrase' });
  await expect(findWithSecret(REQUEST, RECOVERY_KEY, find)).rejects.toThrow('wrong recoveryKey');
  await expect(findWithSecret(REQUEST, 'seven quiet herons', find)).rejects.toThrow('wrong passphrase');
});
