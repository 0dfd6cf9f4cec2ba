import { renderApp } from '../shared/app.tsx';
import { setProblemMessages } from '../shared/feedback/states.tsx';
import { messages } from './messages/texts.ts';
import { router } from './routes.tsx';

/** Renders the operator's pages after their messages are loaded. */
export function start(): void {
  setProblemMessages(messages.problem);
  renderApp(router);
}
