/** 32 characters, so that a random byte modulo 32 is unbiased. Omits l, o, 0 and 1, which are easily confused. */
const PASSWORD_ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';
const GROUP_COUNT = 5;
const GROUP_LENGTH = 4;

/** Generates a password with 100 random bits, in groups that are easy to read out. */
export function generatePassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(GROUP_COUNT * GROUP_LENGTH));
  const characters = Array.from(bytes, (byte) => PASSWORD_ALPHABET[byte % PASSWORD_ALPHABET.length] ?? '').join('');
  return Array.from({ length: GROUP_COUNT }, (_, group) =>
    characters.slice(group * GROUP_LENGTH, (group + 1) * GROUP_LENGTH),
  ).join('-');
}
