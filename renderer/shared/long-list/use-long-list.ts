import { useCallback, useLayoutEffect, useRef, useState } from 'react';

/**
 * Virtual scrolling of very long lists. Browsers limit elements to about 17 million pixels, so a list of a million rows
 * is mapped onto a shorter element: small movements scroll row by row and shift the offset between the two; large ones
 * (dragging the scroll bar) jump proportionally.
 */

const MAX_HEIGHT_PX = 6_000_000;
const OVERSCAN_ROWS = 12;
const RENDER_STEP_ROWS = 4;

const JUMP_SCREENS = 4;

/** Returns the offset of the short element at list position `y`: proportional, with exact alignment near either end. */
function offsetFor(y: number, fullHeight: number, height: number, visible: number): number {
  if (y < height / 4) return 0;
  if (fullHeight - y < height / 4) return fullHeight - height;
  return Math.round(Math.max(0, Math.min(1, y / (fullHeight - visible))) * (fullHeight - height));
}

interface LongList {
  /** Height of the scrolled element. */
  height: number;
  first: number;
  last: number;
  /** First and last visible row. */
  seenFirst: number;
  seenLast: number;
  top: (index: number) => number;
  scrollTo: (index: number, alignment?: 'start' | 'nearest') => void;
}

interface View {
  first: number;
  last: number;
  seenFirst: number;
  seenLast: number;
  offset: number;
}

export function useLongList(box: HTMLElement | null, count: number, rowHeight: number, head: number): LongList {
  const fullHeight = count * rowHeight;
  const height = Math.min(fullHeight, MAX_HEIGHT_PX);
  const offset = useRef(0);
  const lastTop = useRef(0);
  const [view, setView] = useState<View>({ first: 0, last: 40, seenFirst: 0, seenLast: 20, offset: 0 });

  const measure = useCallback(() => {
    if (box === null) return;
    const visible = Math.max(rowHeight, box.clientHeight - head);
    const y = box.scrollTop + offset.current;
    const seenFirst = Math.max(0, Math.min(count - 1, Math.floor(y / rowHeight)));
    const seenLast = Math.max(0, Math.min(count - 1, Math.ceil((y + visible) / rowHeight) - 1));
    // In steps, so that slow scrolling does not render for every pixel.
    const first = Math.max(0, Math.floor((seenFirst - OVERSCAN_ROWS) / RENDER_STEP_ROWS) * RENDER_STEP_ROWS);
    const last = Math.min(count - 1, Math.ceil((seenLast + OVERSCAN_ROWS) / RENDER_STEP_ROWS) * RENDER_STEP_ROWS);
    setView((before) =>
      before.first === first &&
      before.last === last &&
      before.seenFirst === seenFirst &&
      before.seenLast === seenLast &&
      before.offset === offset.current
        ? before
        : { first, last, seenFirst, seenLast, offset: offset.current },
    );
  }, [box, count, rowHeight, head]);

  const moveTo = useCallback(
    (y: number) => {
      if (box === null) return;
      const visible = box.clientHeight - head;
      const target = Math.max(0, Math.min(fullHeight - visible, y));
      offset.current = offsetFor(target, fullHeight, height, visible);
      box.scrollTo({ top: target - offset.current, behavior: 'instant' });
      lastTop.current = box.scrollTop;
      measure();
    },
    [box, fullHeight, height, head, measure],
  );

  useLayoutEffect(() => {
    if (box === null) return;
    if (fullHeight === height) offset.current = 0;
    const onScroll = () => {
      const top = box.scrollTop;
      const distance = Math.abs(top - lastTop.current);
      lastTop.current = top;
      if (fullHeight > height && distance > 0) {
        const visible = box.clientHeight - head;
        const y = top + offset.current;
        // Wheels never move this far between two frames; dragging the scroll bar does.
        if (distance > visible * JUMP_SCREENS) {
          offset.current = Math.round((top / (height - visible)) * (fullHeight - height));
        } else {
          const targetOffset = offsetFor(y, fullHeight, height, visible);
          const isStuckAtTop = top < visible * JUMP_SCREENS && offset.current > 0;
          const isStuckAtBottom = top > height - visible * (JUMP_SCREENS + 1) && offset.current < fullHeight - height;
          if (isStuckAtTop || isStuckAtBottom || Math.abs(targetOffset - offset.current) > height / 3) {
            offset.current = targetOffset;
            box.scrollTo({ top: y - targetOffset, behavior: 'instant' });
            lastTop.current = box.scrollTop;
          }
        }
      }
      measure();
    };
    box.addEventListener('scroll', onScroll, { passive: true });
    const resizeObserver = new ResizeObserver(measure);
    resizeObserver.observe(box);
    measure();
    return () => {
      box.removeEventListener('scroll', onScroll);
      resizeObserver.disconnect();
    };
  }, [box, fullHeight, height, head, measure]);

  const scrollTo = useCallback(
    (index: number, alignment: 'start' | 'nearest' = 'start') => {
      if (box === null) return;
      const visible = box.clientHeight - head;
      const y = box.scrollTop + offset.current;
      const top = index * rowHeight;
      if (alignment === 'start') moveTo(top);
      else if (top < y) moveTo(top);
      else if (top + rowHeight > y + visible) moveTo(top + rowHeight - visible);
    },
    [box, head, rowHeight, moveTo],
  );

  const top = useCallback((index: number) => index * rowHeight - view.offset, [rowHeight, view.offset]);
  return { height, ...view, top, scrollTo };
}
