import '../mantine-styles.ts';
import '@mantine/core/styles/ColorSwatch.css';
import '@mantine/core/styles/SimpleGrid.css';
import '@mantine/charts/styles.css';
import './styles.css';
import { draw } from '../app.tsx';
import { sayProblemsAs } from '../components/states.tsx';
import { x } from './messages/en.ts';
import { router } from './routes.tsx';

sayProblemsAs(x.problem);
draw(router);
