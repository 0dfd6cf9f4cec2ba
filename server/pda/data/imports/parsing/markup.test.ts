import { expect, it } from 'vitest';
import { createMarkupParser } from './markup.ts';

/** Returns the processor time of parsing a repeated line, in milliseconds. */
const measureMs = (line: string, lineCount: number): number => {
  const markup = createMarkupParser({ xml: false }, { open: () => undefined });
  const text = Buffer.from(line.repeat(lineCount));
  const startUsage = process.cpuUsage();
  markup.push(text);
  markup.end();
  const { user, system } = process.cpuUsage(startUsage);
  return (user + system) / 1000;
};

it.each(['<a "\n', 'x<a "\n', 'x<a "\'\n', '<a "\'\n'])('parses unclosed quotes in linear time: %j', (line) => {
  // Takes the minimum of three runs: load from other processes only increases the time.
  const leastMs = (lineCount: number): number => Math.min(...[1, 2, 3].map(() => measureMs(line, lineCount)));
  const baselineMs = Math.max(leastMs(20_000), 1);
  // The text is ten times as long. Quadratic parsing would take a hundred times as long.
  expect(leastMs(200_000) / baselineMs).toBeLessThan(60);
});
