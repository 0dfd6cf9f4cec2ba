import { serveTransferJob } from './process.ts';
import { transferTools } from './tools.ts';

/* Entry point of the process that exports an account, or checks or imports an archive. */
serveTransferJob(transferTools);
