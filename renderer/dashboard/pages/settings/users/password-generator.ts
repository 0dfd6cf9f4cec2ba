/** 32 of them, so that five bits make one and none comes more often; without l, o, 0 and 1, which are mixed up when read out. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
const GROUPS = 5;
const GROUP = 4;

/** A password of a hundred random bits, in groups for reading it out. */
export function makePassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(GROUPS * GROUP));
  const letters = Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length] ?? '').join('');
  return Array.from({ length: GROUPS }, (_, group) => letters.slice(group * GROUP, (group + 1) * GROUP)).join('-');
}
