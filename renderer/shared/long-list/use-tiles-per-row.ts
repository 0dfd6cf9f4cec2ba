import { useLayoutEffect, useState } from 'react';

/** The height includes the gap above a tile. */
export const TILE_HEIGHT_PX = 208;
const TILE_WIDTH_PX = 168;
const PHONE_TILE_WIDTH_PX = 140;

/** Returns 1 until `scroller` exists, and at least 2 from then on. */
export function useTilesPerRow(scroller: HTMLElement | null, isPhone: boolean): number {
  const [tilesPerRow, setTilesPerRow] = useState(1);
  useLayoutEffect(() => {
    if (scroller === null) return;
    const measure = () =>
      setTilesPerRow(Math.max(2, Math.floor(scroller.clientWidth / (isPhone ? PHONE_TILE_WIDTH_PX : TILE_WIDTH_PX))));
    const observer = new ResizeObserver(measure);
    observer.observe(scroller);
    measure();
    return () => observer.disconnect();
  }, [scroller, isPhone]);
  return tilesPerRow;
}
