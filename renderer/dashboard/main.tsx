import '../shared/theme/mantine-styles.ts';
import { initLanguage } from '../shared/format/languages.ts';
import { loadTexts } from '../shared/messages/texts.ts';

/**
 * The texts first: they are constants to all that is loaded after them. No `await` outside of a function: what is loaded then may share a
 * file with this one, and would wait for it.
 */
async function begin(): Promise<void> {
  await loadTexts(initLanguage());
  const { start } = await import('./start.tsx');
  start();
}

begin().catch((error: unknown) => {
  // No text was loaded that could say it, and no page to say it on.
  document.body.textContent =
    'This page could not be loaded. Load it again. · Diese Seite konnte nicht geladen werden. Lade sie noch einmal.';
  throw error;
});
