// Squarified treemap layout (Bruls, Huizing, van Wijk): areas in proportion to the sizes, boxes close to squares.

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Returns the highest aspect ratio of the boxes if these areas share a strip of the given length. */
function worstAspectRatio(areas: readonly number[], length: number): number {
  const sum = areas.reduce((total, area) => total + area, 0);
  const thickness = sum / length;
  return Math.max(...areas.map((area) => Math.max(area / thickness / thickness, (thickness * thickness) / area)));
}

/** Returns one box per size, in the same order. @param sizes positive; best in descending order */
export function layOutTreemap(sizes: readonly number[], width: number, height: number): Box[] {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const boxes: Box[] = [];
  let freeBox: Box = { x: 0, y: 0, width, height };
  let remainingSize = total;
  let index = 0;
  while (index < sizes.length) {
    const scale = (freeBox.width * freeBox.height) / remainingSize;
    const length = Math.min(freeBox.width, freeBox.height);
    const strip: number[] = [];
    for (const size of sizes.slice(index)) {
      const area = size * scale;
      if (strip.length > 0 && worstAspectRatio([...strip, area], length) > worstAspectRatio(strip, length)) break;
      strip.push(area);
    }
    const stripArea = strip.reduce((sum, area) => sum + area, 0);
    const thickness = stripArea / length;
    const isWide = freeBox.width >= freeBox.height;
    let offset = 0;
    for (const area of strip) {
      const side = area / thickness;
      boxes.push(
        isWide
          ? { x: freeBox.x, y: freeBox.y + offset, width: thickness, height: side }
          : { x: freeBox.x + offset, y: freeBox.y, width: side, height: thickness },
      );
      offset += side;
    }
    freeBox = isWide
      ? { ...freeBox, x: freeBox.x + thickness, width: freeBox.width - thickness }
      : { ...freeBox, y: freeBox.y + thickness, height: freeBox.height - thickness };
    remainingSize -= stripArea / scale;
    index += strip.length;
  }
  return boxes;
}

/**
 * Combines parts whose share of the total is below `minShare`, and parts beyond the `maxParts` largest. Omits empty
 * parts. Sorts the large parts, largest first.
 */
export function groupSmallParts<Part extends { bytes: number; files: number }>(
  parts: readonly Part[],
  minShare: number,
  maxParts: number,
): { largeParts: Part[]; rest: { parts: number; bytes: number; files: number } } {
  const sortedParts = parts.filter(({ bytes }) => bytes > 0).toSorted((a, b) => b.bytes - a.bytes);
  const total = sortedParts.reduce((sum, { bytes }) => sum + bytes, 0);
  const largeParts = sortedParts.filter(({ bytes }, index) => index < maxParts && bytes >= total * minShare);
  const smallParts = sortedParts.slice(largeParts.length);
  return {
    largeParts,
    rest: {
      parts: smallParts.length,
      bytes: smallParts.reduce((sum, { bytes }) => sum + bytes, 0),
      files: smallParts.reduce((sum, { files }) => sum + files, 0),
    },
  };
}
