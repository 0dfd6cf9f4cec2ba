import { createHash } from 'node:crypto';
import { BackupProblem } from './problem.ts';

/**
 * The recovery key as it is printed: eight groups of five signs. 22 bytes of secret, three of a checksum, so that a typing error is told from a
 * wrong key. The signs are Crockford's: none of them looks like another.
 */

export const RECOVERY_SECRET_BYTES = 22;
const CHECK_BYTES = 3;
const SIGNS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const GROUP = 5;
const LENGTH = ((RECOVERY_SECRET_BYTES + CHECK_BYTES) * 8) / 5;

const checkOf = (secret: Buffer): Buffer =>
  createHash('sha256').update('pda recovery key\n').update(secret).digest().subarray(0, CHECK_BYTES);

export const printRecoveryKey = (secret: Buffer): string => {
  const bits = [...secret, ...checkOf(secret)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const signs = Array.from({ length: LENGTH }, (_, at) => SIGNS[Number.parseInt(bits.slice(5 * at, 5 * at + 5), 2)]);
  return Array.from({ length: LENGTH / GROUP }, (_, at) => signs.slice(GROUP * at, GROUP * (at + 1)).join('')).join(
    '-',
  );
};

/** @throws BackupProblem wrong_key when it was not typed as it was printed */
export const readRecoveryKey = (text: string): Buffer => {
  const signs = text.toUpperCase().replaceAll(/[\s-]/gu, '').replaceAll('O', '0').replaceAll(/[IL]/gu, '1');
  const wrong = (why: string): BackupProblem => new BackupProblem('wrong_key', `This is not a recovery key: ${why}.`);
  if (signs.length !== LENGTH) throw wrong(`it has ${signs.length} signs, and ${LENGTH} are needed`);
  const values = [...signs].map((sign) => SIGNS.indexOf(sign));
  if (values.includes(-1)) throw wrong('it holds a sign that no recovery key has');
  const bits = values.map((value) => value.toString(2).padStart(5, '0')).join('');
  const bytes = Buffer.from(
    Array.from({ length: bits.length / 8 }, (_, at) => Number.parseInt(bits.slice(8 * at, 8 * at + 8), 2)),
  );
  const secret = bytes.subarray(0, RECOVERY_SECRET_BYTES);
  if (!checkOf(secret).equals(bytes.subarray(RECOVERY_SECRET_BYTES))) throw wrong('it was not typed as it was printed');
  return secret;
};
