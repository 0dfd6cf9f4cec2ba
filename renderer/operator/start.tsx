import { renderApp } from '../shared/app.tsx';
import { setProblemMessages } from '../shared/feedback/states.tsx';
import { x } from './messages/texts.ts';
import { router } from './routes.tsx';

/** Renders the operator's pages after their texts are loaded. */
export function start(): void {
  setProblemMessages(x.problem);
  renderApp(router);
}
