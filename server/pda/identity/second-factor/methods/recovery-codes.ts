import { createHmac, randomBytes } from 'node:crypto';
import { base32crockford } from '@scure/base';
import { RECOVERY_CODES } from '../../../../wire/limits.ts';

const SALT_BYTES = 32;
const CODE_BYTES = 10;
const CODE_CHARS = 16;
const GROUP_CHARS = 4;
/** Crockford's base32, which omits I, L, O and U, so that characters are not confused on paper. */
const CODE_PATTERN = new RegExp(`^[0-9A-HJKMNP-TV-Z]{${CODE_CHARS}}$`, 'u');

const createCode = (): string => {
  const characters = base32crockford.encode(randomBytes(CODE_BYTES));
  return (characters.match(new RegExp(`.{${GROUP_CHARS}}`, 'gu')) ?? []).join('-');
};

export const createCodes = (): string[] => Array.from({ length: RECOVERY_CODES }, createCode);
export const createSalt = (): Buffer => randomBytes(SALT_BYTES);

/** Corrects case and look-alike characters, and removes spaces and hyphens. Returns undefined if it is not a code. */
export const normalizeCode = (text: string): string | undefined => {
  const characters = text.toUpperCase().replaceAll(/[\s-]/gu, '').replaceAll('O', '0').replaceAll(/[IL]/gu, '1');
  return CODE_PATTERN.test(characters) ? characters : undefined;
};

/** A fast hash is sufficient, because the 80 random bits of a code cannot be guessed. */
export const hashCode = (salt: Uint8Array, characters: string): Buffer =>
  createHmac('sha256', salt).update(characters).digest();
