import { hash } from 'node:crypto';
import { en, type Texts } from '../texts/en.ts';

/**
 * Returns the name of the app's data folder for a home. Separate folders give each home its own single-instance lock.
 */
export function dataFolderName(home: string): string {
  return `home-${hash('sha256', home, 'hex').slice(0, 16)}`;
}

/**
 * Returns why the server must not start on a home; null if it may. A missing home may be on a disconnected disk, and
 * the server would create an empty home in its place.
 */
export function findStartObstacle(
  facts: { readonly home: string; readonly existedBefore: boolean; readonly exists: boolean },
  texts: Texts = en,
): string | null {
  return facts.existedBefore && !facts.exists ? texts.home.unavailable(facts.home) : null;
}
