import { draw } from '../app.tsx';
import { sayProblemsAs } from '../components/states.tsx';
import { x } from './messages/texts.ts';
import { router } from './routes.tsx';

/** The operator's page, once its texts are there. */
export function start(): void {
  sayProblemsAs(x.problem);
  draw(router);
}
