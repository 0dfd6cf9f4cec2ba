import { Agent, request } from 'node:http';

/**
 * Requests single records at a constant rate and records the response times. Usage: node sampler.ts URL TOKEN EVERY-MS
 * ID…
 * A separate process, so that the measured load does not delay its clock. The message `take` returns and resets the
 * recorded
 * milliseconds.
 */

const [url = '', token = '', everyMs = '5', ...ids] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 200 });
let took: number[] = [];
let failed = 0;
let next = 0;

const sendRequest = (): void => {
  const id = ids[next % ids.length] ?? '';
  next += 1;
  const start = performance.now();
  const sent = request(`${url}/api/v2.6/data-record/${id}`, { agent, headers: { 'x-auth-token': token } }, (answer) => {
    answer.resume();
    answer.once('end', () => {
      if (answer.statusCode === 200) took.push(performance.now() - start);
      else failed += 1;
    });
  });
  sent.once('error', () => {
    failed += 1;
  });
  sent.end();
};

const timer = setInterval(sendRequest, Number(everyMs));
process.on('message', () => {
  process.send?.({ took, failed });
  took = [];
});
process.on('disconnect', () => {
  clearInterval(timer);
  agent.destroy();
});
