import { serveTransferJob } from './process.ts';
import { transferTools } from './tools.ts';

/* Entry point of the process that exports an account, checks an archive or imports one. */
serveTransferJob(transferTools);
