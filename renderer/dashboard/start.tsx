import { renderApp } from '../shared/app.tsx';
import { router } from './routes.tsx';

/** The dashboard, once its texts are there. */
export function start(): void {
  renderApp(router);
}
