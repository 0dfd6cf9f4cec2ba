import { type RefObject, useEffect } from 'react';
import type { Jump } from './month-section.tsx';

const RELEASING_EVENTS = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/**
 * Scrolls to the target of a jump and keeps it in place while the months around it load and change their height, until
 * the owner scrolls, clicks or types outside a `nav` element.
 * @param list element with the months; the innermost element with `data-jump` is the target
 */
export function useScrollAnchor(
  list: RefObject<HTMLElement | null>,
  jump: Jump | undefined,
  onReleased: () => void,
): void {
  useEffect(() => {
    const element = list.current;
    if (jump === undefined || element === null) return;
    const scroll = () =>
      [...element.querySelectorAll('[data-jump]')].at(-1)?.scrollIntoView({ block: 'start', behavior: 'instant' });
    const observer = new ResizeObserver(scroll);
    // Calls `scroll` once even if the size never changes.
    observer.observe(element);
    // The strip of months must not move while one of its months is being clicked.
    const release = ({ target }: Event): void => {
      if (!(target instanceof Element) || target.closest('nav') === null) onReleased();
    };
    for (const type of RELEASING_EVENTS) window.addEventListener(type, release, { capture: true, passive: true });
    return () => {
      observer.disconnect();
      for (const type of RELEASING_EVENTS) window.removeEventListener(type, release, { capture: true });
    };
  }, [list, jump, onReleased]);
}
