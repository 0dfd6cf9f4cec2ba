// Attacks on a server, and the parameters of an attack.

export const ATTACKS = [
  'slow headers',
  'slow bodies',
  'slow readers',
  'many connections',
  'many requests',
  'huge headers',
  'big bodies',
  'big bodies without a token',
  'deep bodies',
  'many parameters',
  'slow regular expressions',
  'passwords',
] as const;

export type Attack = (typeof ATTACKS)[number];

export const isAttack = (text: string): text is Attack => (ATTACKS as readonly string[]).includes(text);

export type AttackOptions = {
  port: number;
  /** The public host name of the server. */
  host: string;
  /** IP address of the attacker on this machine. It represents another network. */
  localAddress: string;
  /** Fraction of the full rate. */
  strength: number;
  /** Path of a large public file. */
  file: string;
};
