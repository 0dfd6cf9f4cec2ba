/** Rectangles whose areas are as sizes are to each other, as square as they can be (Bruls, Huizing, van Wijk: squarified treemaps). */

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The worse of both: how much longer than wide, or wider than long, one of these would be in a strip of that length. */
function worst(areas: readonly number[], length: number): number {
  const sum = areas.reduce((all, area) => all + area, 0);
  const across = sum / length;
  return Math.max(...areas.map((area) => Math.max(area / across / across, (across * across) / area)));
}

/**
 * @param sizes above zero, the largest first
 * @returns one box for each, in the same order, within `width` by `height`
 */
export function treemap(sizes: readonly number[], width: number, height: number): Box[] {
  const total = sizes.reduce((all, size) => all + size, 0);
  const boxes: Box[] = [];
  let free: Box = { x: 0, y: 0, width, height };
  let left = total;
  let at = 0;
  while (at < sizes.length) {
    const scale = (free.width * free.height) / left;
    const length = Math.min(free.width, free.height);
    const strip: number[] = [];
    for (const size of sizes.slice(at)) {
      const area = size * scale;
      if (strip.length > 0 && worst([...strip, area], length) > worst(strip, length)) break;
      strip.push(area);
    }
    const sum = strip.reduce((all, area) => all + area, 0);
    const across = sum / length;
    const isWide = free.width >= free.height;
    let along = 0;
    for (const area of strip) {
      const side = area / across;
      boxes.push(
        isWide
          ? { x: free.x, y: free.y + along, width: across, height: side }
          : { x: free.x + along, y: free.y, width: side, height: across },
      );
      along += side;
    }
    free = isWide
      ? { ...free, x: free.x + across, width: free.width - across }
      : { ...free, y: free.y + across, height: free.height - across };
    left -= sum / scale;
    at += strip.length;
  }
  return boxes;
}

/** The largest ones by themselves, the others together: what is too small to be read would only be noise. */
export function withRest<Part extends { bytes: number; files: number }>(
  parts: readonly Part[],
  smallest: number,
  most: number,
): { shown: Part[]; rest: { parts: number; bytes: number; files: number } } {
  const sorted = parts.filter(({ bytes }) => bytes > 0).toSorted((a, b) => b.bytes - a.bytes);
  const total = sorted.reduce((all, { bytes }) => all + bytes, 0);
  const shown = sorted.filter(({ bytes }, index) => index < most && bytes >= total * smallest);
  const others = sorted.slice(shown.length);
  return {
    shown,
    rest: {
      parts: others.length,
      bytes: others.reduce((all, { bytes }) => all + bytes, 0),
      files: others.reduce((all, { files }) => all + files, 0),
    },
  };
}
