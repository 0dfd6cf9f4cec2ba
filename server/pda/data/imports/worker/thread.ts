import { createReadStream } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../../../wire/values.ts';
import { runPreviewTask } from '../preview/element-preview.ts';
import { readElements } from '../tabular/element-reader.ts';
import { BrokenElement } from '../tabular/element-source.ts';
import { summariseExport } from './summary.ts';
import type { ImportThreadData, ImportThreadMessage, ImportThreadRequest } from './messages.ts';
import { readExport } from './reader.ts';

// Worker thread of `client.ts`. Parses files, so that large or crafted ones do not block the server.

const port = parentPort;
if (port === null) throw new Error('thread.ts must run in a worker thread');

const send = (message: ImportThreadMessage): void => port.postMessage(message);

/** Maximum batches in flight without an acknowledgement. */
const MAX_UNACKNOWLEDGED = 2;
const PROGRESS_INTERVAL_MS = 500;

let unacknowledgedBatches = 0;
let wake: (() => void) | undefined;
port.on('message', (message: ImportThreadRequest) => {
  if (message.type !== 'next') return;
  unacknowledgedBatches -= 1;
  wake?.();
});

const sendBatch = async (batch: Extract<ImportThreadMessage, { type: 'batch' | 'elements' }>): Promise<void> => {
  send(batch);
  unacknowledgedBatches += 1;
  while (unacknowledgedBatches >= MAX_UNACKNOWLEDGED) await new Promise<void>((resolve) => (wake = resolve));
};

let lastProgressMs = 0;
const { task, position } = workerData as ImportThreadData;
try {
  if (task.task === 'preview') send({ type: 'preview', preview: await runPreviewTask(task) });
  else if (task.task === 'summarise')
    send({ type: 'summary', summary: await summariseExport(task.sources, { ...task, position }) });
  else if (task.task === 'topology') {
    for await (const batch of readElements(createReadStream(task.path), 'topojson', task))
      await sendBatch({ type: 'elements', ...batch });
  } else
    await readExport({
      ...task,
      position,
      sendBatch,
      onProgress(bytesRead) {
        const now = performance.now();
        if (now - lastProgressMs < PROGRESS_INTERVAL_MS) return;
        lastProgressMs = now;
        send({ type: 'progress', bytesRead });
      },
    });
  send({ type: 'end' });
} catch (error) {
  send({ type: 'failed', line: error instanceof BrokenElement ? error.line : null, problem: messageOf(error) });
}
port.close();
