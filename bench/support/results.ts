import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os';
import type { Figure } from './context.ts';
import { reasonOf } from './reasons.ts';
import { toFixed2 } from './stats.ts';

export const isReached = ({ value, target, better }: Figure): boolean =>
  better === 'more' ? value >= target : value < target;

const formatValue = (value: number, unit: Figure['unit']): string =>
  unit === 'ratio'
    ? toFixed2(value)
    : `${value.toFixed(unit === 's' || (unit === 'ms' && value < 100) ? 1 : 0)} ${unit}`;

const formatVerdict = (figure: Figure): string => {
  if (isReached(figure)) return 'reached';
  const { value, target, better } = figure;
  const shortfall = better === 'more' ? 1 - value / target : value / target - 1;
  return `**missed by ${Math.ceil(shortfall * 100)} %**`;
};

export const formatFigure = (figure: Figure): string => {
  const sign = figure.better === 'more' ? '≥' : '<';
  const { value, target, unit } = figure;
  return `${isReached(figure) ? 'ok  ' : 'MISS'} ${figure.label}: ${formatValue(value, unit)} (${sign} ${formatValue(target, unit)}); ${figure.detail}`;
};

const listMisses = (figures: readonly Figure[]): string[] => {
  const misses = figures.filter((figure) => !isReached(figure));
  if (misses.length === 0) return ['All figures reach their targets.', ''];
  const lines = misses.map(
    ({ label }) =>
      `- ${label}: ${reasonOf(label) ?? 'unknown; run the benchmark alone to see whether it misses again.'}`,
  );
  return ['## Missed targets', '', ...lines, ''];
};

export const renderResults = (
  figures: readonly Figure[],
  options: { quick: boolean; date: Date; records: number },
): string => {
  const processors = cpus();
  const rows = figures.map((figure) => {
    const { label, value, target, unit, better, detail } = figure;
    const sign = better === 'more' ? '≥' : '<';
    return `| ${label} | ${formatValue(value, unit)} | ${sign} ${formatValue(target, unit)} | ${formatVerdict(figure)} | ${detail} |`;
  });
  return [
    '# Benchmark results',
    '',
    'Written by `npm run bench`; do not edit. Each ratio is the median over alternating rounds of both sides in one run, with the load generator',
    'on the same machine. Ratios are comparable between machines; absolute figures are not.',
    '',
    `- ${options.date.toISOString().slice(0, 16).replace('T', ' ')} UTC, Node ${process.versions.node}, ${platform()} ${release()} ${arch()}`,
    `- ${processors.length} × ${processors[0]?.model.trim() ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `- Load average at the end ${toFixed2(loadavg()[0] ?? 0)}: the benchmark alone causes about 2; a higher value means that other programs were running.`,
    ...(options.quick
      ? [`- A quick run: fewer and shorter rounds, ${options.records} records instead of 1,000,000.`]
      : []),
    '',
    '| Figure | Value | Target | Result | Details |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    ...listMisses(figures),
  ].join('\n');
};
