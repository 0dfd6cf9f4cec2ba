import '../mantine-styles.ts';
import '@mantine/core/styles/ColorSwatch.css';
import '@mantine/core/styles/SimpleGrid.css';
import '@mantine/charts/styles.css';
import './styles.css';
import { createRoot } from 'react-dom/client';
import { sayProblemsAs } from '../components/states.tsx';
import { App } from './app.tsx';
import { x } from './messages/en.ts';

const root = document.querySelector('#root');
if (root === null) throw new Error('index.html has no #root');
sayProblemsAs(x.problem);
createRoot(root).render(<App />);
