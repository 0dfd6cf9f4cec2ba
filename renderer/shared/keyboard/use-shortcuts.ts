import { readLocalStorageValue, useLocalStorage } from '@mantine/hooks';
import { useEffectEvent, useLayoutEffect } from 'react';
import { tinykeys } from 'tinykeys';

// Shortcuts of one or two keys without Ctrl, Alt or Meta. The owner can turn them off (WCAG 2.2, criterion 2.1.4).

const SHORTCUT_SETTING = { key: 'pda-shortcuts', defaultValue: true, getInitialValueInEffect: false } as const;

/** The setting applies to this browser only. */
export function useShortcutSetting(): readonly [boolean, (on: boolean) => void] {
  const [isOn, setIsOn] = useLocalStorage<boolean>(SHORTCUT_SETTING);
  return [isOn, setIsOn];
}

export function areShortcutsOn(): boolean {
  return readLocalStorageValue<boolean>(SHORTCUT_SETTING);
}

/** Finds the modal dialog even if it does not have the focus yet. */
export function findOpenDialog(): Element | null {
  return document.querySelector('[role=dialog][aria-modal=true]');
}

const TEXT_FIELDS = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]';

function isIgnored(event: KeyboardEvent, scope: 'page' | 'dialog'): boolean {
  if (event.repeat || event.isComposing || !areShortcutsOn()) return true;
  if (!(event.target instanceof Element)) return false;
  // The focus is outside the dialog while the dialog opens, and after the focused content has been replaced.
  const dialog = event.target.closest('[role=dialog]') ?? findOpenDialog();
  const isInDialog = dialog !== null;
  return (
    event.target.matches(TEXT_FIELDS) ||
    event.target.closest('[role=menu]') !== null ||
    isInDialog !== (scope === 'dialog')
  );
}

/**
 * Handles keys such as `g d` (one after the other) or `[Shift]+?`, while no text field or menu has the focus. If
 * several shortcuts end with the pressed key, the first one in `shortcuts` runs.
 * @param scope `page`: not while a dialog is open or focused; `dialog`: only then
 */
export function useShortcuts(
  scope: 'page' | 'dialog',
  shortcuts: Readonly<Record<string, (() => void) | undefined>>,
): void {
  const run = useEffectEvent((keys: string, event: KeyboardEvent) => {
    const action = shortcuts[keys];
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
  const allKeys = Object.keys(shortcuts).join('\n');
  // Registered before the paint, so that the first key press after the paint has an effect.
  useLayoutEffect(() => {
    const bindings = allKeys.split('\n').map((keys) => [keys, (event: KeyboardEvent) => run(keys, event)] as const);
    return tinykeys(window, Object.fromEntries(bindings), { ignore: (event) => isIgnored(event, scope) });
  }, [scope, allKeys]);
}
