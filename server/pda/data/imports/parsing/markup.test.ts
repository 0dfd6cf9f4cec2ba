import { expect, it } from 'vitest';
import { createMarkup } from './markup.ts';

/** Processor time in milliseconds for parsing a text of `lines` lines. */
const costOf = (line: string, lines: number): number => {
  const markup = createMarkup({ xml: false }, { open: () => undefined });
  const text = Buffer.from(line.repeat(lines));
  const before = process.cpuUsage();
  markup.push(text);
  markup.end();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

it.each(['<a "\n', 'x<a "\n', 'x<a "\'\n', '<a "\'\n'])('reads unclosed quotes in linear time: %j', (line) => {
  // The minimum of three runs, because other load can only increase the measured time.
  const leastCost = (lines: number): number => Math.min(...[1, 2, 3].map(() => costOf(line, lines)));
  const small = Math.max(leastCost(20_000), 1);
  // Ten times the text; quadratic work would cost a hundred times as much.
  expect(leastCost(200_000) / small).toBeLessThan(60);
});
