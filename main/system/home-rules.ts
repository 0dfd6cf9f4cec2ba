import { hash } from 'node:crypto';
import { en, type Texts } from '../texts/en.ts';

/**
 * Returns the name of the app's data folder for a home, in `appData`. Each home has its own, so the lock of one does
 * not affect others.
 */
export function ownFolderName(home: string): string {
  return `home-${hash('sha256', home, 'hex').slice(0, 16)}`;
}

/**
 * Returns why the server must not start on a home: one that existed before may be on a disconnected disk, and the
 * server would create a new, empty home in its place.
 */
export function startObstacle(
  facts: {
    readonly home: string;
    readonly wasThere: boolean;
    readonly isThere: boolean;
  },
  texts: Texts = en,
): string | null {
  return facts.wasThere && !facts.isThere ? texts.home.away(facts.home) : null;
}
