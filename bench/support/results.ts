import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os';
import type { Figure } from './context.ts';
import { reasonOf } from './reasons.ts';
import { two } from './stats.ts';

export const reached = ({ value, target, better }: Figure): boolean =>
  better === 'more' ? value >= target : value < target;

const written = (value: number, unit: Figure['unit']): string =>
  unit === 'ratio' ? two(value) : `${value.toFixed(unit === 's' || (unit === 'ms' && value < 100) ? 1 : 0)} ${unit}`;

const verdict = (figure: Figure): string => {
  if (reached(figure)) return 'reached';
  const { value, target, better } = figure;
  const short = better === 'more' ? 1 - value / target : value / target - 1;
  return `**missed by ${Math.ceil(short * 100)} %**`;
};

export const oneLine = (figure: Figure): string => {
  const sign = figure.better === 'more' ? '≥' : '<';
  const { value, target, unit } = figure;
  return `${reached(figure) ? 'ok  ' : 'MISS'} ${figure.what}: ${written(value, unit)} (${sign} ${written(target, unit)}) — ${figure.detail}`;
};

/** What does not reach its target, and what is known of why. */
const missed = (figures: readonly Figure[]): string[] => {
  const misses = figures.filter((figure) => !reached(figure));
  if (misses.length === 0) return ['Every figure reaches its target.', ''];
  const lines = misses.map(
    ({ what }) => `- ${what}: ${reasonOf(what) ?? 'unknown; run it alone to see whether it is missed again.'}`,
  );
  return ['## Missed, and why', '', ...lines, ''];
};

/** The page that is kept: what was measured, where, and whether it is enough. */
export const resultsPage = (
  figures: readonly Figure[],
  options: { quick: boolean; date: Date; records: number },
): string => {
  const processors = cpus();
  const rows = figures.map((figure) => {
    const { what, value, target, unit, better, detail } = figure;
    const sign = better === 'more' ? '≥' : '<';
    return `| ${what} | ${written(value, unit)} | ${sign} ${written(target, unit)} | ${verdict(figure)} | ${detail} |`;
  });
  return [
    '# Benchmark results',
    '',
    'Written by `npm run bench`; do not edit. Each ratio is the median over rounds in which both sides took turns in one run, with the load',
    'generator on the same machine: ratios hold from machine to machine, figures per second do not.',
    '',
    `- ${options.date.toISOString().slice(0, 16).replace('T', ' ')} UTC, Node ${process.versions.node}, ${platform()} ${release()} ${arch()}`,
    `- ${processors.length} × ${processors[0]?.model.trim() ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `- Load average at the end ${two(loadavg()[0] ?? 0)}: the benchmark alone makes about 2; more means that the machine had other work.`,
    ...(options.quick
      ? [`- A quick run: fewer and shorter rounds, ${options.records} records instead of 1,000,000.`]
      : []),
    '',
    '| what | measured | target | | how |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    ...missed(figures),
  ].join('\n');
};
