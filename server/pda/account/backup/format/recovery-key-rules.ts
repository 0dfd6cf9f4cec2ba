import { createHash } from 'node:crypto';
import { base32crockford } from '@scure/base';
import { BackupProblem } from './error.ts';

/**
 * The recovery key as it is printed: eight groups of five characters in Crockford's base32, in which no character looks like another. 22 bytes are
 * the secret; three are a checksum, which tells a typing error from a wrong key.
 */

export const RECOVERY_SECRET_BYTES = 22;
const CHECK_BYTES = 3;
const GROUP = 5;
const LENGTH = ((RECOVERY_SECRET_BYTES + CHECK_BYTES) * 8) / 5;

const checkOf = (secret: Buffer): Buffer =>
  createHash('sha256').update('pda recovery key\n').update(secret).digest().subarray(0, CHECK_BYTES);

export const printRecoveryKey = (secret: Buffer): string => {
  const text = base32crockford.encode(Buffer.concat([secret, checkOf(secret)]));
  return (text.match(new RegExp(`.{${GROUP}}`, 'gu')) ?? []).join('-');
};

/** @throws BackupProblem wrong_key when it was not typed as it was printed */
export const readRecoveryKey = (text: string): Buffer => {
  const signs = text.toUpperCase().replaceAll(/[\s-]/gu, '').replaceAll('O', '0').replaceAll(/[IL]/gu, '1');
  const wrong = (why: string): BackupProblem => new BackupProblem('wrong_key', `This is not a recovery key: ${why}.`);
  if (signs.length !== LENGTH) throw wrong(`it has ${signs.length} signs, and ${LENGTH} are needed`);
  if (!/^[0-9A-HJKMNP-TV-Z]*$/u.test(signs)) throw wrong('it holds a sign that no recovery key has');
  const bytes = Buffer.from(base32crockford.decode(signs));
  const secret = bytes.subarray(0, RECOVERY_SECRET_BYTES);
  if (!checkOf(secret).equals(bytes.subarray(RECOVERY_SECRET_BYTES))) throw wrong('it was not typed as it was printed');
  return secret;
};
