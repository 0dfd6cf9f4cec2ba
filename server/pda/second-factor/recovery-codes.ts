import { createHmac, randomBytes } from 'node:crypto';
import { RECOVERY_CODES } from '../../wire/limits.ts';

/** 32 characters that are not mixed up when read from paper: without i, l, o and u. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CHARS = 16;
const GROUP = 4;

/** Eighty random bits, in groups for reading it. */
const newCode = (): string => {
  const letters = [...randomBytes(CHARS)].map((byte) => LETTERS[byte & 31]).join('');
  return (letters.match(new RegExp(`.{${GROUP}}`, 'gu')) ?? []).join('-');
};

export const newCodes = (): string[] => Array.from({ length: RECOVERY_CODES }, newCode);
export const newSalt = (): Buffer => randomBytes(32);

/** A code as somebody wrote it, without what does not count; undefined: it is none. */
export const readCode = (text: string): string | undefined => {
  const letters = text.toUpperCase().replaceAll(/[\s-]/gu, '').replaceAll('O', '0').replaceAll(/[IL]/gu, '1');
  return letters.length === CHARS && [...letters].every((letter) => LETTERS.includes(letter)) ? letters : undefined;
};

/** What is kept of a code. Nobody tries eighty bits, so that it needs no slow hash: a sign-in costs one, for the password. */
export const hashCode = (salt: Uint8Array, letters: string): Buffer =>
  createHmac('sha256', salt).update(letters).digest();
