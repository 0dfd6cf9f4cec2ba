import '../shared/theme/mantine-styles.ts';
import '@mantine/core/styles/SimpleGrid.css';
import '@mantine/charts/styles.css';
import './styles.css';
import { initLanguage } from '../shared/format/languages.ts';
import { loadTexts } from '../shared/messages/texts.ts';
import { loadExchangeTexts } from './messages/texts.ts';

/** Loads the messages first, because later modules read them as constants (see the dashboard's `main.tsx`). */
async function begin(): Promise<void> {
  const language = initLanguage();
  await Promise.all([loadTexts(language), loadExchangeTexts(language)]);
  const { start } = await import('./start.tsx');
  start();
}

void begin();
