import { loadExchangeTexts } from '../../renderer/exchange/messages/texts.ts';
import { loadTexts } from '../../renderer/messages/texts.ts';

/** What a page does first, tests of its parts have done for them. */
await Promise.all([loadTexts('en'), loadExchangeTexts('en')]);
