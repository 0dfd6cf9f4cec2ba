import { crc32, deflateSync } from 'node:zlib';

/** `app`: the mark on a rounded tile. `mark`: the mark alone, coloured. `template`: the mark alone in black, for macOS to colour. */
export type IconKind = 'app' | 'mark' | 'template';

type Colour = readonly [red: number, green: number, blue: number];

const TEAL: Colour = [15, 93, 92];
const PAPER: Colour = [250, 248, 244];
const BLACK: Colour = [0, 0, 0];

/** Points looked at per pixel and direction: smooth edges. */
const SAMPLES = 4;

/**
 * Draws our icon, a house with a keyhole, as a PNG of `size` × `size` pixels. Drawn rather than stored: one shape for every size and system, and a change of it
 * shows in a diff.
 */
export function drawIcon(size: number, kind: IconKind): Buffer {
  const rows: Buffer[] = [];
  for (let y = 0; y < size; y += 1) {
    const row = Buffer.alloc(1 + size * 4);
    for (let x = 0; x < size; x += 1) row.set(pixel(x, y, size, kind), 1 + x * 4);
    rows.push(row);
  }
  return png(size, Buffer.concat(rows));
}

function pixel(x: number, y: number, size: number, kind: IconKind): readonly [number, number, number, number] {
  let mark = 0;
  let tile = 0;
  for (let sample = 0; sample < SAMPLES * SAMPLES; sample += 1) {
    const u = (x + ((sample % SAMPLES) + 0.5) / SAMPLES) / size;
    const v = (y + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES) / size;
    if (inTile(u, v)) tile += 1;
    // On the tile the mark is smaller: the tile is its margin.
    if (kind === 'app' ? inHouse((u - 0.5) / 0.62 + 0.5, (v - 0.5) / 0.62 + 0.5) : inHouse(u, v)) mark += 1;
  }
  const all = SAMPLES * SAMPLES;
  const ink = kind === 'template' ? BLACK : TEAL;
  if (kind !== 'app') return [...ink, Math.round((255 * mark) / all)];
  const part = mark / all;
  const [red, green, blue] = [0, 1, 2].map((channel) =>
    Math.round((TEAL[channel] ?? 0) * (1 - part) + (PAPER[channel] ?? 0) * part),
  );
  return [red ?? 0, green ?? 0, blue ?? 0, Math.round((255 * tile) / all)];
}

/** A square with round corners and a small margin, in coordinates from 0 to 1. */
function inTile(u: number, v: number): boolean {
  const half = 0.46;
  const radius = 0.2;
  const dx = Math.max(Math.abs(u - 0.5) - (half - radius), 0);
  const dy = Math.max(Math.abs(v - 0.5) - (half - radius), 0);
  return dx * dx + dy * dy <= radius * radius;
}

/** Roof and walls, without the keyhole. */
function inHouse(u: number, v: number): boolean {
  const roof = v >= 0.06 && v <= 0.5 && Math.abs(u - 0.5) <= ((v - 0.06) / 0.44) * 0.46;
  const walls = v > 0.5 && v <= 0.94 && Math.abs(u - 0.5) <= 0.34;
  if (!roof && !walls) return false;
  const hole = (u - 0.5) ** 2 + (v - 0.52) ** 2 <= 0.105 ** 2;
  const shaft = v > 0.52 && v <= 0.76 && Math.abs(u - 0.5) <= 0.05;
  return !hole && !shaft;
}

function png(size: number, pixels: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // Eight bits per channel, with transparency.
  header.set([8, 6, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const out = Buffer.alloc(12 + data.length);
  out.writeUInt32BE(data.length, 0);
  out.write(type, 4, 'latin1');
  data.copy(out, 8);
  out.writeUInt32BE(crc32(out.subarray(4, 8 + data.length)), 8 + data.length);
  return out;
}
