/**
 * Fake PDA server for tests, with configurable misbehaviour. Most tests start it, so it is plain JavaScript without
 * static imports, which starts four times as fast.
 *
 * The server records events in files of the folder `FAKE_SERVER_FOLDER`: `starts`, `stops` and `messages` have a line
 * for each event, and `health` contains the number of health checks. A test controls the server by creating trigger
 * files in that folder. Tests can therefore wait for events instead of fixed times.
 * `FAKE_SERVER_BEHAVIOUR` is a list of behaviours, separated by spaces. Other words, such as `well`, have no effect.
 *
 *   noise       prints other lines before the announcement
 *   setup       is not set up yet: prints the `open` line
 *   other-host  prints an `open` line that leads to another host
 *   slow        responds only once the trigger file `answer` exists
 *   stubborn    ignores requests to stop
 *   bad-exit    stops on request with exit code 7
 *   crash       exits with code 3 before it responds
 *   crash-once  crashes only at its first start
 *   refuse      exits with code 2, as for invalid arguments
 *   flood       writes large amounts to stderr, then exits with code 1
 *   busy        responds to /healthz with 503
 *   silent      does not respond to messages on the IPC channel
 *   bad-ipc     sends invalid messages on the IPC channel
 *   keeps-port  reuses its previous port like the real server
 *   backup-old  reports an overdue backup until the trigger file `backed-up` exists
 *   restarts    announces itself again, without subscribers, once the trigger file `restart` exists
 *   locked-out  reports that the home is in use (with `newer`: that it is from a newer version) and exits, unless the
 *               trigger file `let-in` exists
 *
 * While the trigger file `hang` exists, the server does not respond to HTTP requests.
 */
const { appendFileSync, existsSync, readFileSync, writeFileSync } = process.getBuiltinModule('node:fs');
const { createServer } = process.getBuiltinModule('node:http');
const { join } = process.getBuiltinModule('node:path');

const behaviours = new Set((process.env['FAKE_SERVER_BEHAVIOUR'] ?? '').split(' '));
const folder = process.env['FAKE_SERVER_FOLDER'] ?? '.';
/** @param {string} name */
const hasFile = (name) => existsSync(join(folder, name));
/** @param {string} file @param {string} text */
const recordEvent = (file, text) => appendFileSync(join(folder, file), `${text}\n`);

const isFirstStart = !hasFile('starts');
// Registered before the start is recorded, because a test may kill the shell as soon as it reads the line.
process.once('disconnect', () => stop('disconnect'));
recordEvent('starts', String(process.pid));
console.error(JSON.stringify({ level: 30, msg: 'fake server starts', args: process.argv.slice(2) }));

if (behaviours.has('refuse')) process.exit(2);
if (behaviours.has('crash') || (behaviours.has('crash-once') && isFirstStart)) {
  console.error('something broke');
  process.exit(3);
}
if (behaviours.has('flood')) {
  for (let line = 0; line < 500; line += 1) console.error(`line ${line} ${'x'.repeat(5_000)}`);
  // exit() does not wait for a pipe that is full.
  await new Promise((resolve) => void process.stderr.write('the last line', resolve));
  process.exit(1);
}

let healthRequests = 0;
const server = createServer((request, response) => {
  if (hasFile('hang')) return;
  if (request.url === '/healthz') {
    healthRequests += 1;
    writeFileSync(join(folder, 'health'), String(healthRequests));
    response.writeHead(behaviours.has('busy') ? 503 : 200, { 'content-type': 'application/json' }).end('{}');
    return;
  }
  response.end(JSON.stringify({ env: process.env }));
});

/** @param {string} cause */
const stop = (cause) => {
  recordEvent('stops', cause);
  if (behaviours.has('stubborn')) return;
  server.close(() => process.exit(behaviours.has('bad-exit') ? 7 : 0));
  server.closeAllConnections();
};
process.once('SIGTERM', () => stop('SIGTERM'));
process.on('SIGINT', () => recordEvent('stops', 'SIGINT'));
process.on('message', (/** @type {{ type?: unknown; id?: unknown }} */ message) => {
  if (message.type === 'stop') stop('message');
  else recordEvent('messages', JSON.stringify(message));
  if (behaviours.has('silent') || message.type === 'stop') return;
  const status = {
    requests: [],
    requestsWaiting: 0,
    renewals: [],
    summary: null,
    exposure: { state: 'off', address: null, readableBy: null },
    functionsPaused: false,
  };
  /** @param {string} backup */
  const sendStatus = (backup) => process.send?.({ type: 'status', ...status, backup });
  if (message.type === 'watch') sendStatus(behaviours.has('backup-old') ? 'old' : 'none');
  if (message.type === 'watch' && behaviours.has('backup-old')) {
    const poll = setInterval(() => {
      if (!hasFile('backed-up')) return;
      clearInterval(poll);
      sendStatus('well');
    }, 10).unref();
  }
  if (message.type === 'command') process.send?.({ type: 'response', id: message.id, done: true });
});
if (behaviours.has('bad-ipc'))
  for (const message of [null, 'x', { type: 'status' }, { type: 'evil' }]) process.send?.(message);
if (behaviours.has('locked-out') && !hasFile('let-in')) {
  process.send?.({
    type: 'cannot-start',
    kind: behaviours.has('newer') ? 'newer' : 'in_use',
    reason: 'Another process uses it.',
  });
  process.exit(1);
}
while (behaviours.has('slow') && !hasFile('answer')) await new Promise((resolve) => setTimeout(resolve, 10));

server.listen(
  behaviours.has('keeps-port') && hasFile('port') ? Number(readFileSync(join(folder, 'port'), 'utf8')) : 0,
  '127.0.0.1',
  () => {
    const boundAddress = server.address();
    const port = typeof boundAddress === 'object' && boundAddress !== null ? boundAddress.port : 0;
    if (behaviours.has('keeps-port')) writeFileSync(join(folder, 'port'), String(port));
    if (behaviours.has('noise')) {
      console.log('(node:1) ExperimentalWarning: something');
      console.log('pda listening on http://evil.example:80');
      console.log('x'.repeat(100_000));
      console.log('  pda listening on http://127.0.0.1:1');
    }
    // One write, like the real server.
    const lines = [`pda listening on http://127.0.0.1:${port}`];
    if (behaviours.has('other-host')) lines.push('open http://evil.example/#/setup?code=stolen');
    if (behaviours.has('setup')) lines.push(`open http://localhost:${port}/#/setup?code=one-time`);
    console.log(lines.join('\n'));
    if (behaviours.has('restarts')) {
      const poll = setInterval(() => {
        if (!hasFile('restart')) return;
        clearInterval(poll);
        console.log(`pda listening on http://127.0.0.1:${port}`);
      }, 10).unref();
    }
  },
);
