import { renderApp } from '../shared/app.tsx';
import { setProblemMessages } from '../shared/feedback/states.tsx';
import { messages } from './messages/texts.ts';
import { router } from './routes.tsx';

export function start(): void {
  setProblemMessages(messages.problem);
  renderApp(router);
}
