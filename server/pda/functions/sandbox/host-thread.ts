import { parentPort, workerData } from 'node:worker_threads';
import type { FunctionSession, Step } from '../runs/function-host.ts';
import { createSandboxHost } from './host.ts';
import type { FromHost, HostThreadData, Question, ToHost } from './host-messages.ts';

/** The other end of `threaded-host.ts`: starts the processes of runs and watches them. */

const port = parentPort;
if (port === null) throw new Error('host-thread.ts runs in a thread');

const tell = (message: FromHost): void => port.postMessage(message);

const { folder }: HostThreadData = workerData;
const host = createSandboxHost({
  folder,
  log: {
    warn(facts, message) {
      const { err } = facts;
      tell({ from: 'warning', message, problem: err instanceof Error ? err.message : '' });
    },
  },
});

const runs = new Map<number, { session: FunctionSession; abort: AbortController }>();

const answer = (session: FunctionSession, question: Question): Promise<Step> => {
  switch (question.kind) {
    case 'configuration':
      return session.configuration();
    case 'dataBundle':
      return session.dataBundle(question.window);
    case 'process':
      return session.process(question.requestText);
  }
};

port.on('message', (message: ToHost) => {
  if (message.to === 'end') {
    void host.close().then(() => tell({ from: 'ended' }));
    return;
  }
  const { run } = message;
  if (message.to === 'open') {
    const abort = new AbortController();
    if (message.aborted) abort.abort();
    runs.set(run, { session: host.open(message.target, abort.signal), abort });
    return;
  }
  const known = runs.get(run);
  if (known === undefined) return;
  const { session, abort } = known;
  switch (message.to) {
    case 'ask': {
      const { ask } = message;
      void answer(session, message.question).then((step) => tell({ from: 'step', run, ask, step }));
      return;
    }
    case 'abort':
      abort.abort();
      return;
    case 'close':
      void session.close().then((report) => {
        runs.delete(run);
        tell({ from: 'report', run, report });
      });
  }
});
