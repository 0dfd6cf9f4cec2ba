import './mantine-styles.ts';
import { draw } from './app.tsx';
import { router } from './routes.tsx';

draw(router);
