/**
 * Returns the focus to a button after its action. Buttons are disabled while their action runs, and browsers remove the
 * focus from disabled elements. Does nothing if the focus has moved elsewhere in the meantime.
 */
export function restoreFocusAfterActions(): void {
  let observer: MutationObserver | undefined;
  document.addEventListener('click', ({ target }) => {
    observer?.disconnect();
    const button = target instanceof Element ? target.closest('button') : null;
    if (button === null || button !== document.activeElement) return;
    observer = new MutationObserver(() => {
      if (button.disabled) return;
      observer?.disconnect();
      if (document.activeElement === document.body) button.focus({ preventScroll: true });
    });
    observer.observe(button, { attributeFilter: ['disabled'] });
  });
}
