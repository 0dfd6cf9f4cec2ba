import { serveTransferJob } from './process.ts';
import { transferTools } from './tools.ts';

/* Entry point of the transfer process. */
serveTransferJob(transferTools);
