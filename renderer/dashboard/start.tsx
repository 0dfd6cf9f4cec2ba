import { renderApp } from '../shared/app.tsx';
import { router } from './routes.tsx';

export function start(): void {
  renderApp(router);
}
