import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common';
import { dictionary as english } from '@zxcvbn-ts/language-en';
import { LONG_PASSWORD_CHARS, MIN_PASSWORD_SCORE } from '../../wire/limits.ts';

/** What is known of a password. Loading this module takes 30 MB for its word lists: the server does so in a thread only. */
export type Strength = { score: number; acceptable: boolean; warning?: string; suggestions: string[] };

const estimator = new ZxcvbnFactory({ dictionary: { ...common, ...english }, graphs: adjacencyGraphs });

/** Characters that the estimator looks at: its cost grows faster than the password. */
const ESTIMATED_CHARS = 100;

/** How hard a password is to guess, and whether it will do (decisions 2). `inputs`: words an attacker would try first. */
export const passwordStrength = (password: string, inputs: readonly string[] = []): Strength => {
  const { score, feedback } = estimator.check(password.slice(0, ESTIMATED_CHARS), [...inputs]);
  return {
    score,
    acceptable: score >= MIN_PASSWORD_SCORE || (password.length >= LONG_PASSWORD_CHARS && score > 0),
    ...(feedback.warning === null || feedback.warning === '' ? {} : { warning: feedback.warning }),
    suggestions: feedback.suggestions,
  };
};
