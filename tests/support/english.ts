import { loadExchangeTexts } from '../../renderer/operator/messages/texts.ts';
import { loadTexts } from '../../renderer/shared/messages/texts.ts';

/** Loads the English messages, as pages do when they start. */
await Promise.all([loadTexts('en'), loadExchangeTexts('en')]);
