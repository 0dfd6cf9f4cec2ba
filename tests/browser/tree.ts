import type { CDPSession, Page } from '@playwright/test';

const CONTROL_ROLES = new Set(
  'button link textbox searchbox checkbox radio switch combobox listbox option menuitem menuitemradio tab slider spinbutton treeitem'.split(
    ' ',
  ),
);

interface AccessibilityNode {
  role: string;
  name: string;
  level: number;
}

/** Returns the accessibility nodes in reading order; the browser returns them level by level. */
async function readNodes(session: CDPSession): Promise<AccessibilityNode[]> {
  const { nodes: allNodes } = await session.send('Accessibility.getFullAXTree');
  const byId = new Map(allNodes.map((node) => [node.nodeId, node]));
  const orderedNodes: AccessibilityNode[] = [];
  const readNode = (node: (typeof allNodes)[number] | undefined): void => {
    if (node === undefined) return;
    const { ignored, role, name, properties = [], childIds = [] } = node;
    if (!ignored) {
      orderedNodes.push({
        role: String(role?.value ?? ''),
        name: String(name?.value ?? '').trim(),
        level: Number(properties.find((property) => property.name === 'level')?.value.value ?? 0),
      });
    }
    for (const id of childIds) readNode(byId.get(id));
  };
  readNode(allNodes.find(({ parentId }) => parentId === undefined));
  return orderedNodes;
}

/**
 * Finds problems on a page for users of assistive technology, such as controls without a name, headings out of order
 * and missing landmarks.
 */
export async function findTreeFaults(session: CDPSession): Promise<string[]> {
  const allNodes = await readNodes(session);
  const problems: string[] = [];
  for (const { role, name } of allNodes)
    if (CONTROL_ROLES.has(role) && name === '') problems.push(`a ${role} without a name`);
  const headings = allNodes.filter(({ role }) => role === 'heading');
  for (const { level } of headings.filter(({ name }) => name === ''))
    problems.push(`a heading of level ${String(level)} without text`);
  const firstLevelCount = headings.filter(({ level }) => level === 1).length;
  if (firstLevelCount !== 1) problems.push(`${String(firstLevelCount)} headings of level 1`);
  let previousLevel = 0;
  for (const { level, name } of headings) {
    if (level > previousLevel + 1)
      problems.push(`a heading of level ${String(level)} after one of level ${String(previousLevel)}: ${name}`);
    previousLevel = level;
  }
  // A modal dialog hides everything behind it.
  if (allNodes.some(({ role }) => role === 'dialog'))
    return problems.filter((problem) => !problem.startsWith('0 headings'));
  const mainCount = allNodes.filter(({ role }) => role === 'main').length;
  if (mainCount !== 1) problems.push(`${String(mainCount)} main landmarks`);
  const navigations = allNodes.filter(({ role }) => role === 'navigation');
  if (navigations.length === 0) problems.push('no navigation');
  for (const { name } of navigations) if (name === '') problems.push('a navigation without a name');
  return problems;
}

interface FocusStop {
  /** Path of a link within the dashboard; empty for other controls. */
  path: string;
  label: string;
  isFocusVisible: boolean;
}

const MAX_TAB_PRESSES = 90;

/**
 * Tabs through the page once, with at most `MAX_TAB_PRESSES` presses. Returns each stop and whether its focus is
 * visible, that is, whether it looks different without the focus.
 */
export async function tabThrough(page: Page): Promise<FocusStop[]> {
  await page.evaluate(() => {
    // Disables transitions, so that the comparison does not measure an intermediate state.
    const noTransitions = new CSSStyleSheet();
    noTransitions.replaceSync('*, *::before, *::after { transition: none !important; }');
    document.adoptedStyleSheets = [noTransitions];
    const appearanceOf = (element: Element): string => {
      // The focus indicator can be on the label, the frame or the content of an element.
      const relatedElements = [
        element,
        element.nextElementSibling,
        element.firstElementChild,
        ...element.querySelectorAll('[role=row], [role=gridcell]'),
      ];
      for (
        let ancestor = element.parentElement;
        ancestor !== null && relatedElements.length < 10;
        ancestor = ancestor.parentElement
      )
        relatedElements.push(ancestor);
      const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [];
      return [...relatedElements, ...labels]
        .map((related) => {
          if (related === null || related === undefined) return '';
          const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, backgroundColor, opacity } =
            getComputedStyle(related);
          return [outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, backgroundColor, opacity].join();
        })
        .join('|');
    };
    const stops: FocusStop[] = [];
    let lastStop: { element: Element; focusedAppearance: string; stop: FocusStop } | undefined;
    // Runs after each key press. Returns false when no element has the focus.
    const recordStop = (): boolean => {
      // A date field has several stops, all of which have the same active element.
      if (lastStop !== undefined && lastStop.element === document.activeElement) return true;
      if (lastStop !== undefined)
        lastStop.stop.isFocusVisible ||= appearanceOf(lastStop.element) !== lastStop.focusedAppearance;
      lastStop = undefined;
      const element = document.activeElement;
      if (element === null || element === document.body) return false;
      const href = element.closest('a')?.getAttribute('href') ?? '';
      const name = element.getAttribute('aria-label') ?? element.textContent ?? '';
      const stop = {
        path: href.startsWith('#') ? href.slice(1) : '',
        label: `${element.tagName.toLowerCase()} ${name.trim().slice(0, 50)}`,
        // The focus is on an element within the frame, which this function does not inspect.
        isFocusVisible: element instanceof HTMLIFrameElement,
      };
      stops.push(stop);
      lastStop = { element, focusedAppearance: appearanceOf(element), stop };
      return true;
    };
    Object.assign(window, {
      recordStop,
      finishStops: () => {
        (document.activeElement as HTMLElement | null)?.blur();
        recordStop();
        return stops;
      },
    });
  });
  // Starts at the top of the page, wherever the focus was.
  await page.locator('body').evaluate((body) => {
    body.tabIndex = -1;
    body.focus();
    body.removeAttribute('tabindex');
  });
  for (let presses = 0; presses < MAX_TAB_PRESSES; presses += 1) {
    await page.keyboard.press('Tab');
    if (!(await page.evaluate(() => (window as unknown as { recordStop: () => boolean }).recordStop()))) break;
  }
  return page.evaluate(() => (window as unknown as { finishStops: () => FocusStop[] }).finishStops());
}

/** Lists texts that overflow, and reports a page wider than its window. */
export const findWidthFaults = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const problems: string[] = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) problems.push(`the page is ${String(scrollWidth)} wide`);
    const TEXT_ELEMENTS =
      'h1, h2, h3, button, nav a, main a, label, th, dt, [role=tab], [role=columnheader], legend, summary';
    const isClipping = (element: Element): boolean => ['hidden', 'clip'].includes(getComputedStyle(element).overflowX);
    for (const element of document.querySelectorAll(TEXT_ELEMENTS)) {
      const box = element.getBoundingClientRect();
      // Text for screen readers only is one pixel wide.
      if (!element.checkVisibility() || box.width <= 2 || element.closest('[role=row] [role=gridcell]') !== null)
        continue;
      const name = (element.textContent ?? '').trim().slice(0, 60);
      for (const candidate of [element, ...element.querySelectorAll('*')]) {
        const hasOwnText = [...candidate.childNodes].some(
          ({ nodeType, textContent }) => nodeType === 3 && textContent?.trim() !== '',
        );
        if (!hasOwnText || candidate.closest('svg, code') !== null || candidate.clientWidth <= 2) continue;
        if (isClipping(candidate) && candidate.scrollWidth > candidate.clientWidth + 1)
          problems.push(`cut off: ${element.tagName} ${name}`);
      }
      let isScrollable = false;
      for (let ancestor = element.parentElement; ancestor !== null; ancestor = ancestor.parentElement)
        isScrollable ||= ['auto', 'scroll'].includes(getComputedStyle(ancestor).overflowX);
      if (!isScrollable && (box.right > innerWidth + 1 || box.left < -1)) problems.push(`beyond the edge: ${name}`);
    }
    return [...new Set(problems)];
  });
