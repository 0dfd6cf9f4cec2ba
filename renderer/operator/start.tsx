import { renderApp } from '../shared/app.tsx';
import { setProblemMessages } from '../shared/feedback/states.tsx';
import { x } from './messages/texts.ts';
import { router } from './routes.tsx';

/** The operator's page, once its texts are there. */
export function start(): void {
  setProblemMessages(x.problem);
  renderApp(router);
}
