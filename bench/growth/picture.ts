export type Curve = {
  readonly title: string;
  readonly unit: string;
  readonly points: readonly (readonly [number, number])[];
};

const PANEL = { width: 300, height: 190, left: 52, right: 24, top: 40, bottom: 34 };
const COLUMNS = 2;
const GRID_INTERVALS = 4;

const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
};

const formatNumber = (value: number): string => {
  if (value >= 1_000_000) return `${value / 1_000_000} M`;
  if (value >= 1000) return `${value / 1000} k`;
  return String(Number(value.toPrecision(3)));
};

const renderPanel = ({ title, unit, points }: Curve, column: number, row: number): string => {
  const { width, height, left, right, top, bottom } = PANEL;
  const logCounts = points.map(([records]) => Math.log10(records));
  const [low, high] = [Math.min(...logCounts), Math.max(...logCounts)];
  const maximum = roundUp(Math.max(...points.map(([, value]) => value)));
  const xOf = (records: number): number =>
    left + ((Math.log10(records) - low) / Math.max(high - low, 1)) * (width - left - right);
  const yOf = (value: number): number => height - bottom - (value / maximum) * (height - top - bottom);
  const toCoordinate = (value: number): string => value.toFixed(1);
  const grid = Array.from({ length: GRID_INTERVALS + 1 }, (_, line) => (maximum * line) / GRID_INTERVALS).map(
    (value) =>
      `<line class="grid" x1="${left}" x2="${width - right}" y1="${toCoordinate(yOf(value))}" y2="${toCoordinate(yOf(value))}"/>` +
      `<text x="${left - 6}" y="${toCoordinate(yOf(value) + 4)}" text-anchor="end">${formatNumber(value)}</text>`,
  );
  const axisLabels = points.map(
    ([records]) =>
      `<text x="${toCoordinate(xOf(records))}" y="${height - bottom + 18}" text-anchor="middle">${formatNumber(records)}</text>`,
  );
  const dots = points.map(
    ([records, value]) => `<circle cx="${toCoordinate(xOf(records))}" cy="${toCoordinate(yOf(value))}" r="3.5"/>`,
  );
  const line = points.map(([records, value]) => `${toCoordinate(xOf(records))},${toCoordinate(yOf(value))}`).join(' ');
  return [
    `<g transform="translate(${column * width} ${row * height})">`,
    `<text class="title" x="${left}" y="20">${title}</text>`,
    `<text x="${width - right}" y="20" text-anchor="end">${unit}</text>`,
    ...grid,
    ...axisLabels,
    `<polyline points="${line}"/>`,
    ...dots,
    '</g>',
  ].join('\n');
};

/** Renders the curves as SVG. Titles and units are constants of this project, so they are not escaped. */
export const renderCharts = (curves: readonly Curve[]): string => {
  const rows = Math.ceil(curves.length / COLUMNS);
  const [width, height] = [PANEL.width * COLUMNS, PANEL.height * rows];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${curves.map(({ title }) => title).join(', ')} by number of records</title>`,
    '<style>',
    'text { font: 11px system-ui, sans-serif; fill: #57606a } .title { font-size: 13px; font-weight: 600; fill: #1f2328 }',
    '.back { fill: #ffffff } .grid { stroke: #d8dee4 } polyline { fill: none; stroke: #0b7285; stroke-width: 2 } circle { fill: #0b7285 }',
    '@media (prefers-color-scheme: dark) { text { fill: #9198a1 } .title { fill: #f0f6fc } .back { fill: #0d1117 } .grid { stroke: #30363d }',
    'polyline { stroke: #3bc9db } circle { fill: #3bc9db } }',
    '</style>',
    `<rect class="back" width="${width}" height="${height}"/>`,
    ...curves.map((curve, index) => renderPanel(curve, index % COLUMNS, Math.floor(index / COLUMNS))),
    '</svg>',
    '',
  ].join('\n');
};
