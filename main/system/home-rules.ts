import { hash } from 'node:crypto';
import { en, type Texts } from '../texts/en.ts';

/** The folder of the app's own small files, one for each home, beside each other in `appData`: the lock of one home does not keep another one out. */
export function ownFolderName(home: string): string {
  return `home-${hash('sha256', home, 'hex').slice(0, 16)}`;
}

/**
 * Why a server must not be started on a home: one that was there and is not any more may be on a disk that is away, and a server would make a new,
 * empty one in its place.
 */
export function whyNotStart(
  facts: {
    readonly home: string;
    readonly wasThere: boolean;
    readonly isThere: boolean;
  },
  texts: Texts = en,
): string | null {
  return facts.wasThere && !facts.isThere ? texts.home.away(facts.home) : null;
}
