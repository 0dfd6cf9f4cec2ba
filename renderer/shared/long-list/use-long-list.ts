import { useCallback, useLayoutEffect, useRef, useState } from 'react';

/**
 * Which rows of a very long list are in view. Browsers cannot make an element taller than about 17 million pixels, so a list
 * of a million rows is laid out on a shorter one: small movements scroll row by row and shift the offset between the two as
 * they go; large ones (dragging the bar) jump in proportion.
 */

const MAX_HEIGHT = 6_000_000;
const OVERSCAN = 12;
const STEP = 4;

const JUMP = 4;

/** How far the short element is shifted to show the list at `y`: in proportion, and not at all near either end. */
function offsetFor(y: number, full: number, height: number, visible: number): number {
  if (y < height / 4) return 0;
  if (full - y < height / 4) return full - height;
  return Math.round(Math.max(0, Math.min(1, y / (full - visible))) * (full - height));
}

interface LongList {
  /** Height of the scrolled element. */
  height: number;
  first: number;
  last: number;
  /** First and last row that can really be seen. */
  seenFirst: number;
  seenLast: number;
  top: (index: number) => number;
  scrollTo: (index: number, place?: 'start' | 'nearest') => void;
}

interface View {
  first: number;
  last: number;
  seenFirst: number;
  seenLast: number;
  offset: number;
}

export function useLongList(box: HTMLElement | null, count: number, rowHeight: number, head: number): LongList {
  const full = count * rowHeight;
  const height = Math.min(full, MAX_HEIGHT);
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
    const first = Math.max(0, Math.floor((seenFirst - OVERSCAN) / STEP) * STEP);
    const last = Math.min(count - 1, Math.ceil((seenLast + OVERSCAN) / STEP) * STEP);
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
      const target = Math.max(0, Math.min(full - visible, y));
      offset.current = offsetFor(target, full, height, visible);
      box.scrollTo({ top: target - offset.current, behavior: 'instant' });
      lastTop.current = box.scrollTop;
      measure();
    },
    [box, full, height, head, measure],
  );

  useLayoutEffect(() => {
    if (box === null) return;
    if (full === height) offset.current = 0;
    const onScroll = () => {
      const top = box.scrollTop;
      const moved = Math.abs(top - lastTop.current);
      lastTop.current = top;
      if (full > height && moved > 0) {
        const visible = box.clientHeight - head;
        const y = top + offset.current;
        // No wheel moves this far between two frames; the bar does so with every pixel.
        if (moved > visible * JUMP) {
          offset.current = Math.round((top / (height - visible)) * (full - height));
        } else {
          const wanted = offsetFor(y, full, height, visible);
          const stuckAbove = top < visible * JUMP && offset.current > 0;
          const stuckBelow = top > height - visible * (JUMP + 1) && offset.current < full - height;
          if (stuckAbove || stuckBelow || Math.abs(wanted - offset.current) > height / 3) {
            offset.current = wanted;
            box.scrollTo({ top: y - wanted, behavior: 'instant' });
            lastTop.current = box.scrollTop;
          }
        }
      }
      measure();
    };
    box.addEventListener('scroll', onScroll, { passive: true });
    const resized = new ResizeObserver(measure);
    resized.observe(box);
    measure();
    return () => {
      box.removeEventListener('scroll', onScroll);
      resized.disconnect();
    };
  }, [box, full, height, head, measure]);

  const scrollTo = useCallback(
    (index: number, place: 'start' | 'nearest' = 'start') => {
      if (box === null) return;
      const visible = box.clientHeight - head;
      const y = box.scrollTop + offset.current;
      const top = index * rowHeight;
      if (place === 'start') moveTo(top);
      else if (top < y) moveTo(top);
      else if (top + rowHeight > y + visible) moveTo(top + rowHeight - visible);
    },
    [box, head, rowHeight, moveTo],
  );

  const top = useCallback((index: number) => index * rowHeight - view.offset, [rowHeight, view.offset]);
  return { height, ...view, top, scrollTo };
}
