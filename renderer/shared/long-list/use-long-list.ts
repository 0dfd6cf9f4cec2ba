import { useCallback, useLayoutEffect, useRef, useState } from 'react';

// Virtual scrolling of very long lists. Browsers limit the height of an element, Firefox to about 17 million pixels, so
// a list of a million rows is mapped onto a shorter element. Small movements scroll the list by the same distance and
// adjust the offset between list and element if necessary; large movements, such as dragging the scroll bar, jump
// proportionally.

const MAX_HEIGHT_PX = 6_000_000;
const OVERSCAN_ROWS = 12;
/** The rendered range moves in steps of this size. */
const RENDER_STEP_ROWS = 4;
/** Movement between two scroll events that counts as a jump, in multiples of the visible height. */
const JUMP_SCREENS = 4;

/** Returns the offset of the short element at list position `y`: proportional, and constant near either end. */
function offsetFor(y: number, fullHeight: number, height: number, visibleHeight: number): number {
  if (y < height / 4) return 0;
  if (fullHeight - y < height / 4) return fullHeight - height;
  return Math.round(Math.max(0, Math.min(1, y / (fullHeight - visibleHeight))) * (fullHeight - height));
}

interface View {
  first: number;
  last: number;
  visibleFirst: number;
  visibleLast: number;
  offset: number;
}

interface LongList extends Omit<View, 'offset'> {
  /** Pixel height of the scrolled element. */
  height: number;
  top: (index: number) => number;
  scrollTo: (index: number, alignment?: 'start' | 'nearest') => void;
}

/** @param headHeight pixels of the header row */
export function useLongList(
  scroller: HTMLElement | null,
  count: number,
  rowHeight: number,
  headHeight: number,
): LongList {
  const fullHeight = count * rowHeight;
  const height = Math.min(fullHeight, MAX_HEIGHT_PX);
  const offset = useRef(0);
  const lastTop = useRef(0);
  const [view, setView] = useState<View>({ first: 0, last: 40, visibleFirst: 0, visibleLast: 20, offset: 0 });

  const measure = useCallback(() => {
    if (scroller === null) return;
    const visibleHeight = Math.max(rowHeight, scroller.clientHeight - headHeight);
    const y = scroller.scrollTop + offset.current;
    const visibleFirst = Math.max(0, Math.min(count - 1, Math.floor(y / rowHeight)));
    const visibleLast = Math.max(0, Math.min(count - 1, Math.ceil((y + visibleHeight) / rowHeight) - 1));
    // Rounded, so that slow scrolling seldom changes the rendered rows.
    const first = Math.max(0, Math.floor((visibleFirst - OVERSCAN_ROWS) / RENDER_STEP_ROWS) * RENDER_STEP_ROWS);
    const last = Math.min(count - 1, Math.ceil((visibleLast + OVERSCAN_ROWS) / RENDER_STEP_ROWS) * RENDER_STEP_ROWS);
    setView((previous) =>
      previous.first === first &&
      previous.last === last &&
      previous.visibleFirst === visibleFirst &&
      previous.visibleLast === visibleLast &&
      previous.offset === offset.current
        ? previous
        : { first, last, visibleFirst, visibleLast, offset: offset.current },
    );
  }, [scroller, count, rowHeight, headHeight]);

  const moveTo = useCallback(
    (y: number) => {
      if (scroller === null) return;
      const visibleHeight = scroller.clientHeight - headHeight;
      const target = Math.max(0, Math.min(fullHeight - visibleHeight, y));
      offset.current = offsetFor(target, fullHeight, height, visibleHeight);
      scroller.scrollTo({ top: target - offset.current, behavior: 'instant' });
      lastTop.current = scroller.scrollTop;
      measure();
    },
    [scroller, fullHeight, height, headHeight, measure],
  );

  useLayoutEffect(() => {
    if (scroller === null) return;
    if (fullHeight === height) offset.current = 0;
    const onScroll = () => {
      const top = scroller.scrollTop;
      const distance = Math.abs(top - lastTop.current);
      lastTop.current = top;
      if (fullHeight > height && distance > 0) {
        const visibleHeight = scroller.clientHeight - headHeight;
        const y = top + offset.current;
        if (distance > visibleHeight * JUMP_SCREENS) {
          offset.current = Math.round((top / (height - visibleHeight)) * (fullHeight - height));
        } else {
          const targetOffset = offsetFor(y, fullHeight, height, visibleHeight);
          const isStuckAtTop = top < visibleHeight * JUMP_SCREENS && offset.current > 0;
          const isStuckAtBottom =
            top > height - visibleHeight * (JUMP_SCREENS + 1) && offset.current < fullHeight - height;
          if (isStuckAtTop || isStuckAtBottom || Math.abs(targetOffset - offset.current) > height / 3) {
            offset.current = targetOffset;
            scroller.scrollTo({ top: y - targetOffset, behavior: 'instant' });
            lastTop.current = scroller.scrollTop;
          }
        }
      }
      measure();
    };
    scroller.addEventListener('scroll', onScroll, { passive: true });
    const resizeObserver = new ResizeObserver(measure);
    resizeObserver.observe(scroller);
    measure();
    return () => {
      scroller.removeEventListener('scroll', onScroll);
      resizeObserver.disconnect();
    };
  }, [scroller, fullHeight, height, headHeight, measure]);

  const scrollTo = useCallback(
    (index: number, alignment: 'start' | 'nearest' = 'start') => {
      if (scroller === null) return;
      const visibleHeight = scroller.clientHeight - headHeight;
      const y = scroller.scrollTop + offset.current;
      const top = index * rowHeight;
      if (alignment === 'start') moveTo(top);
      else if (top < y) moveTo(top);
      else if (top + rowHeight > y + visibleHeight) moveTo(top + rowHeight - visibleHeight);
    },
    [scroller, headHeight, rowHeight, moveTo],
  );

  const top = useCallback((index: number) => index * rowHeight - view.offset, [rowHeight, view.offset]);
  return { height, ...view, top, scrollTo };
}
