import { parentPort, workerData } from 'node:worker_threads';
import type { FunctionSession, Step } from '../runs/function-host.ts';
import { createSandboxHost } from './host.ts';
import type { HostCommand, HostEvent, HostThreadData, StepRequest } from './host-messages.ts';

const port = parentPort;
if (port === null) throw new Error('host-thread.ts must run in a worker thread');

const post = (message: HostEvent): void => port.postMessage(message);

const { folder }: HostThreadData = workerData;
const host = createSandboxHost({
  folder,
  log: {
    warn({ err, problem }, message) {
      post({ type: 'warning', message, problem: problem ?? (err instanceof Error ? err.message : '') });
    },
  },
});

const runs = new Map<number, { session: FunctionSession; abort: AbortController }>();

const runStep = (session: FunctionSession, request: StepRequest): Promise<Step> => {
  switch (request.kind) {
    case 'configuration':
      return session.configuration();
    case 'dataBundle':
      return session.dataBundle(request.window);
    case 'process':
      return session.process(request.requestText);
  }
};

port.on('message', (message: HostCommand) => {
  if (message.type === 'end') {
    void host.close().then(() => post({ type: 'ended' }));
    return;
  }
  const { run } = message;
  if (message.type === 'open') {
    const abort = new AbortController();
    if (message.aborted) abort.abort();
    runs.set(run, { session: host.open(message.target, abort.signal), abort });
    return;
  }
  const state = runs.get(run);
  if (state === undefined) return;
  const { session, abort } = state;
  switch (message.type) {
    case 'step': {
      const { requestId } = message;
      void runStep(session, message.request).then((step) => post({ type: 'step', run, requestId, step }));
      return;
    }
    case 'abort':
      abort.abort();
      return;
    case 'close':
      void session.close().then((report) => {
        runs.delete(run);
        post({ type: 'report', run, report });
      });
  }
});
