import { useLayoutEffect, useState } from 'react';

/** Sizes of tiles. The height includes the space above a tile. */
export const TILE_HEIGHT_PX = 208;
const TILE_WIDTH_PX = 168;
const PHONE_TILE_WIDTH_PX = 140;

/** Returns the number of tiles that fit in a row of the scroller, at least 2; 1 before there is a scroller. */
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
