import { useEffect, useRef } from 'react';
import { keyOf } from './draft.ts';
import type { JsonPath } from './json-edits.ts';

/** Moves the focus in the record form after a change that removes or moves the focused element. */

/** Finds the element that gets the focus in the changed form. */
export type FindFocus = (form: HTMLElement) => HTMLElement | null | undefined;

/** Buttons of a list. */
export type ListButton = 'up' | 'down' | 'remove' | 'add';

const INPUTS = ['input', 'textarea', 'select', '[data-button=add]'];

/** Returns the selector for a value's row. */
const rowSelector = (path: JsonPath): string => `[data-row="${keyOf(path).replaceAll(/["\\]/g, String.raw`\$&`)}"]`;

/** Returns the selector for a value's input or, for an empty list, its "add" button. */
export const inputSelector = (path: JsonPath): string =>
  INPUTS.map((input) => `${rowSelector(path)} ${input}`).join(', ');

/** Returns the selector for a button of a list or list item. */
export const buttonSelector = (path: JsonPath, button: ListButton): string =>
  `${rowSelector(path)} [data-button=${button}]`;

/** Returns the selector for the button to focus after an item is removed from a list with `count` items. */
export const afterRemovalSelector = (list: JsonPath, index: number, count: number): string =>
  count <= 1 ? buttonSelector(list, 'add') : buttonSelector([...list, Math.min(index, count - 2)], 'remove');

const fieldsIn = (form: HTMLElement): HTMLElement[] =>
  [...form.querySelectorAll<HTMLElement>('[data-field]')].filter(
    (field) => field.parentElement?.closest('details:not([open])') == null,
  );

/**
 * Returns a function that finds the element to focus after a field is removed: the next field; if there is none, the
 * last field or "Add field".
 */
export function neighbourOf(field: HTMLElement | null): FindFocus {
  const form = field?.closest<HTMLElement>('[data-form]');
  const index = field == null || form == null ? 0 : fieldsIn(form).indexOf(field);
  return (changed) => {
    const fields = fieldsIn(changed);
    const neighbour = fields[index] ?? fields.at(-1);
    return neighbour === undefined
      ? changed.querySelector<HTMLElement>('[data-add-field]')
      : neighbour.querySelector<HTMLElement>('summary, input, textarea, select, button');
  };
}

/** Returns a ref for the form, and a function that sets the focus after the next change. */
export function useFormFocus() {
  const form = useRef<HTMLDivElement>(null);
  const nextFocus = useRef<FindFocus>(undefined);
  useEffect(() => {
    const find = nextFocus.current;
    nextFocus.current = undefined;
    if (form.current !== null) find?.(form.current)?.focus();
  });
  const focusNext = (find: FindFocus | string) => {
    nextFocus.current = typeof find === 'string' ? (changed) => changed.querySelector<HTMLElement>(find) : find;
  };
  return { form, focusNext };
}
