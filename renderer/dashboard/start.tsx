import { renderApp } from '../shared/app.tsx';
import { router } from './routes.tsx';

/** Renders the dashboard after its messages are loaded. */
export function start(): void {
  renderApp(router);
}
