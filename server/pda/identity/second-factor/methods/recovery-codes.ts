import { createHmac, randomBytes } from 'node:crypto';
import { base32crockford } from '@scure/base';
import { RECOVERY_CODES } from '../../../../wire/limits.ts';

const CODE_BYTES = 10;
const CODE_CHARS = 16;
const GROUP = 4;
/** Crockford's base32, which has no I, L, O and U, so that characters are not confused on paper. */
const CODE = new RegExp(`^[0-9A-HJKMNP-TV-Z]{${CODE_CHARS}}$`, 'u');

/** Creates a code of 80 random bits, in groups of four characters. */
const newCode = (): string => {
  const letters = base32crockford.encode(randomBytes(CODE_BYTES));
  return (letters.match(new RegExp(`.{${GROUP}}`, 'gu')) ?? []).join('-');
};

export const newCodes = (): string[] => Array.from({ length: RECOVERY_CODES }, newCode);
export const newSalt = (): Buffer => randomBytes(32);

/** Normalises a typed code: case, spaces, hyphens and similar characters. Returns undefined if it is not a code. */
export const readCode = (text: string): string | undefined => {
  const letters = text.toUpperCase().replaceAll(/[\s-]/gu, '').replaceAll('O', '0').replaceAll(/[IL]/gu, '1');
  return CODE.test(letters) ? letters : undefined;
};

/** Returns the stored hash of a code. Its 80 random bits cannot be guessed, so it needs no slow hash. */
export const hashCode = (salt: Uint8Array, letters: string): Buffer =>
  createHmac('sha256', salt).update(letters).digest();
