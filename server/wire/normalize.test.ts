import { describe, expect, it } from 'vitest';
import { normalizeText } from './normalize.ts';

/**
 * Returns the processor time of some work in milliseconds: the minimum of three runs, because garbage collection and
 * other threads only increase it.
 */
const costOf = (work: () => unknown): number => {
  const costs = [1, 2, 3].map(() => {
    const startUsage = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(startUsage);
    return (user + system) / 1000;
  });
  return Math.min(...costs);
};

describe('normalizeText', () => {
  it.each(['Ångström', 'ﬁancée', 'ấ', '\u1100\u1161\u11a8', `e${'\u0301'.repeat(30)}`])(
    'equals String.normalize for %s',
    (text) => {
      for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'] as const)
        expect(normalizeText(text, form)).toBe(text.normalize(form));
    },
  );

  it('splits runs of more than 30 marks, so that only short runs are sorted into canonical order', () => {
    const run = '\u0301\u0323'.repeat(31);
    expect(
      normalizeText(run, 'NFD')
        .split('\u034f')
        .map(({ length }) => length),
    ).toEqual([30, 30, 2]);
  });

  it('takes time in proportion to the length of a run of marks', () => {
    // Two alternating combining classes: sorting them as one run takes quadratic time.
    const marks = (count: number): string => `e${'\u0301\u0323'.repeat(count / 2)}`;
    normalizeText(marks(20_000), 'NFKD');
    const [shortCost, longCost] = [20_000, 160_000].map((count) => costOf(() => normalizeText(marks(count), 'NFKD')));
    // The text is eight times as long. In quadratic time, it would take 64 times as long: about two seconds.
    expect(longCost).toBeLessThan(24 * Math.max(shortCost ?? 0, 10));
  });
});
