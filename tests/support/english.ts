import { loadExchangeTexts } from '../../renderer/operator/messages/texts.ts';
import { loadTexts } from '../../renderer/shared/messages/texts.ts';

/** What a page does first, tests of its parts have done for them. */
await Promise.all([loadTexts('en'), loadExchangeTexts('en')]);
