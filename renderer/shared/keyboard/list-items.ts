import { type RefObject, useEffect, useEffectEvent } from 'react';

// Moves the focus through the lists of a page. The main link or button of an item has the attribute `data-list-item`,
// so that Enter opens the item.

/** Dispatched on the focused item when the owner presses the edit shortcut. */
const EDIT_EVENT = 'edit-item';

interface FocusPosition {
  /** Index of the focused item, or of the last item before the focus; -1 if the focus is not in or after an item. */
  index: number;
  /** False if the focus is after the item, such as on another button of its row. */
  isOnItem: boolean;
  /** Index of the first item that is not above the window; of the last item if all are above the window. */
  firstInView: number;
}

/** Returns the index of the item to focus. It is out of range if there is no further item. */
export function nextItemIndex({ index, isOnItem, firstInView }: FocusPosition, step: 1 | -1): number {
  if (index === -1) return firstInView;
  return step === -1 && !isOnItem ? index : index + step;
}

/** Focuses the next (1) or previous (-1) item of the page's lists, or the page's grid. */
export function focusItem(step: 1 | -1): void {
  const main = document.querySelector('main');
  if (main === null) return;
  const grid = main.querySelector<HTMLElement>('[role=grid]');
  if (grid !== null) {
    // A grid handles its keys itself, because it renders only the items near the view.
    grid.focus();
    return;
  }
  const items = [...main.querySelectorAll<HTMLElement>('[data-list-item]:not(:disabled)')];
  const focusedElement = document.activeElement;
  const index = main.contains(focusedElement) ? items.findLastIndex((item) => !follows(item, focusedElement)) : -1;
  const firstInViewIndex = items.findIndex((item) => item.getBoundingClientRect().top >= 0);
  const firstInView = firstInViewIndex === -1 ? items.length - 1 : firstInViewIndex;
  items[nextItemIndex({ index, isOnItem: items[index] === focusedElement, firstInView }, step)]?.focus();
}

/** Returns true if `item` comes after `other` in the document. */
function follows(item: Element, other: Element | null): boolean {
  return other !== null && (other.compareDocumentPosition(item) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

export function editFocusedItem(): void {
  document.activeElement?.dispatchEvent(new Event(EDIT_EVENT));
}

/**
 * Calls `edit` when the owner presses the edit shortcut on a list item.
 * @param item main link or button of the item
 * @param edit undefined if the item cannot be edited
 */
export function useItemEdit(item: RefObject<HTMLElement | null>, edit: (() => void) | undefined): void {
  const onEdit = useEffectEvent(() => edit?.());
  useEffect(() => {
    const element = item.current;
    if (element === null) return undefined;
    const listener = () => onEdit();
    element.addEventListener(EDIT_EVENT, listener);
    return () => element.removeEventListener(EDIT_EVENT, listener);
  }, [item]);
}
