import '../shared/theme/mantine-styles.ts';
import { initLanguage } from '../shared/format/languages.ts';
import { loadTexts } from '../shared/messages/texts.ts';

/**
 * Loads the texts before everything else, because later modules read them as constants. Avoids top-level `await`:
 * modules loaded later may share a chunk with this one and would wait for it.
 */
async function begin(): Promise<void> {
  await loadTexts(initLanguage());
  const { start } = await import('./start.tsx');
  start();
}

begin().catch((error: unknown) => {
  // The texts may not be loaded, so this message contains both languages.
  document.body.textContent =
    'This page could not be loaded. Please reload it. · Diese Seite konnte nicht geladen werden. Bitte lade sie neu.';
  throw error;
});
