import { useEffect, useRef } from 'react';
import { type FindFocus, keyOf } from './draft.ts';
import type { JsonPath } from './json-edits.ts';

// Chooses the element that gets the focus after a change to the form.

export type ListButton = 'up' | 'down' | 'remove' | 'add';

const INPUTS = ['input', 'textarea', 'select', '[data-button=add]'];

const rowSelector = (path: JsonPath): string => `[data-row="${keyOf(path).replaceAll(/["\\]/g, String.raw`\$&`)}"]`;

/** Returns a selector whose first match is the first input at a path, or the "add" button of an empty list. */
export const inputSelector = (path: JsonPath): string =>
  INPUTS.map((input) => `${rowSelector(path)} ${input}`).join(', ');

export const buttonSelector = (path: JsonPath, button: ListButton): string =>
  `${rowSelector(path)} [data-button=${button}]`;

/** Returns the selector of the button to focus after the removal of an item from a list with `count` items. */
export const removalFocusSelector = (list: JsonPath, index: number, count: number): string =>
  count <= 1 ? buttonSelector(list, 'add') : buttonSelector([...list, Math.min(index, count - 2)], 'remove');

const fieldsIn = (form: HTMLElement): HTMLElement[] =>
  [...form.querySelectorAll<HTMLElement>('[data-field]')].filter(
    (field) => field.parentElement?.closest('details:not([open])') == null,
  );

/** Returns a function that finds the element to focus after the removal of a field: another field, or "Add field". */
export function neighbourFinder(field: HTMLElement | null): FindFocus {
  const form = field?.closest<HTMLElement>('[data-form]');
  const index = field == null || form == null ? 0 : fieldsIn(form).indexOf(field);
  return (changedForm) => {
    const fields = fieldsIn(changedForm);
    const neighbour = fields[index] ?? fields.at(-1);
    return neighbour === undefined
      ? changedForm.querySelector<HTMLElement>('[data-add-field]')
      : neighbour.querySelector<HTMLElement>('summary, input, textarea, select, button');
  };
}

export function useFormFocus() {
  const form = useRef<HTMLDivElement>(null);
  const nextFocus = useRef<FindFocus>(undefined);
  useEffect(() => {
    const find = nextFocus.current;
    nextFocus.current = undefined;
    if (form.current !== null) find?.(form.current)?.focus();
  });
  const focusNext = (find: FindFocus | string) => {
    nextFocus.current = typeof find === 'string' ? (changedForm) => changedForm.querySelector<HTMLElement>(find) : find;
  };
  return { form, focusNext };
}
