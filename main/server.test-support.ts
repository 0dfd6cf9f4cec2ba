import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

/**
 * A program that behaves, or misbehaves, as the PDA server might. Run by tests with Node; not part of anything that ships.
 *
 * The environment says how. `STAND_IN_FOLDER` is where it writes what happened (`starts`, `stops`, one line each) and looks for orders: a file of
 * the order's name. So a test waits for things, never for time. `STAND_IN` is a list of words:
 *
 *   noise       prints lines that are not the announcement first
 *   setup       is not set up yet: prints the `open` line
 *   foreign     prints an `open` line that leads to another host
 *   slow        answers only once the order `answer` is there
 *   stubborn    does not stop when asked to
 *   bad-exit    stops when asked to, with exit code 7
 *   crash       ends with exit code 3 before it answers
 *   crash-once  the same, at its first start only
 *   refuse      ends with exit code 2, as for wrong arguments
 *   flood       writes very much to stderr, then ends with exit code 1
 *   busy        answers /healthz with 503
 *
 * Orders at any time: `die` ends it with exit code 9, `deaf` makes it leave requests without an answer.
 */
const words = new Set((process.env['STAND_IN'] ?? '').split(' '));
const folder = process.env['STAND_IN_FOLDER'] ?? '.';
const ordered = (order: string): boolean => existsSync(join(folder, order));
const note = (file: string, text: string): void => appendFileSync(join(folder, file), `${text}\n`);

const firstStart = !ordered('starts');
note('starts', String(process.pid));
console.error(JSON.stringify({ level: 30, msg: 'stand-in starts', args: process.argv.slice(2) }));

if (words.has('refuse')) process.exit(2);
if (words.has('crash') || (words.has('crash-once') && firstStart)) {
  console.error('something broke');
  process.exit(3);
}
if (words.has('flood')) {
  for (let line = 0; line < 5_000; line += 1) console.error(`line ${line} ${'x'.repeat(5_000)}`);
  // exit() does not wait for a pipe that is full.
  await new Promise<void>((resolve) => process.stderr.write('the last words', () => resolve()));
  process.exit(1);
}

let health = 0;
const server = createServer((request, response) => {
  if (ordered('deaf')) return;
  if (request.url === '/healthz') {
    health += 1;
    writeFileSync(join(folder, 'health'), String(health));
    response.writeHead(words.has('busy') ? 503 : 200, { 'content-type': 'application/json' }).end('{}');
    return;
  }
  response.end(JSON.stringify({ env: process.env }));
});

const stop = (how: string): void => {
  note('stops', how);
  if (words.has('stubborn')) return;
  server.close(() => process.exit(words.has('bad-exit') ? 7 : 0));
  server.closeAllConnections();
};
process.once('SIGTERM', () => stop('SIGTERM'));
process.on('SIGINT', () => note('stops', 'SIGINT'));
process.on('message', () => stop('message'));
process.once('disconnect', () => stop('disconnect'));

const orders = setInterval(() => {
  if (ordered('die')) process.exit(9);
}, 10);
orders.unref();

while (words.has('slow') && !ordered('answer')) await new Promise((resolve) => setTimeout(resolve, 10));

server.listen(0, '127.0.0.1', () => {
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  if (words.has('noise')) {
    console.log('(node:1) ExperimentalWarning: something');
    console.log('pda listening on http://evil.example:80');
    console.log('x'.repeat(100_000));
    console.log('  pda listening on http://127.0.0.1:1');
  }
  console.log(`pda listening on http://127.0.0.1:${port}`);
  if (words.has('foreign')) console.log('open http://evil.example/#/setup?code=stolen');
  if (words.has('setup')) console.log(`open http://127.0.0.1:${port}/#/setup?code=one-time`);
});
