import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common';
import { dictionary as english } from '@zxcvbn-ts/language-en';
import { LONG_PASSWORD_CHARS, MIN_PASSWORD_SCORE } from '../../wire/limits.ts';

/**
 * Estimate of how hard a password is to guess. The server of a PDA loads this module only in a worker thread, because
 * its word lists take 30 MB.
 */
export type Strength = { score: number; acceptable: boolean; warning?: string; suggestions: string[] };

const estimator = new ZxcvbnFactory({ dictionary: { ...common, ...english }, graphs: adjacencyGraphs });

/** Maximum number of characters that the estimator reads: its cost grows more than linearly with the length. */
const MAX_ESTIMATED_CHARS = 100;

/** @param userInputs words that an attacker would try first */
export const estimatePasswordStrength = (password: string, userInputs: readonly string[] = []): Strength => {
  const { score, feedback } = estimator.check(password.slice(0, MAX_ESTIMATED_CHARS), [...userInputs]);
  return {
    score,
    acceptable: score >= MIN_PASSWORD_SCORE || (password.length >= LONG_PASSWORD_CHARS && score > 0),
    ...(feedback.warning === null || feedback.warning === '' ? {} : { warning: feedback.warning }),
    suggestions: feedback.suggestions,
  };
};
