import { runProcess } from '../platform/cli.ts';
import { main } from './commands.ts';

await runProcess(main);
