/** What enemies do to a server, and whom they do it to. */

export const ATTACKS = [
  'slow headers',
  'slow bodies',
  'slow readers',
  'many lines',
  'many requests',
  'huge headers',
  'big bodies',
  'big bodies with a right to none',
  'deep bodies',
  'many parameters',
  'texts that patterns are slow with',
  'passwords',
] as const;

export type Attack = (typeof ATTACKS)[number];

export const isAttack = (text: string): text is Attack => (ATTACKS as readonly string[]).includes(text);

export type Aim = {
  port: number;
  /** The name under which the server is called from outside. */
  host: string;
  /** Address of this machine that stands for the enemy's network. */
  from: string;
  /** Part of its full rate. */
  strength: number;
  /** Path of a large public file. */
  file: string;
};
