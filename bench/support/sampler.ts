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
let failures = 0;
let next = 0;

const sendRequest = (): void => {
  const id = ids[next % ids.length] ?? '';
  next += 1;
  const start = performance.now();
  const outgoing = request(
    `${url}/api/v2.6/data-record/${id}`,
    { agent, headers: { 'x-auth-token': token } },
    (response) => {
      response.resume();
      response.once('end', () => {
        if (response.statusCode === 200) took.push(performance.now() - start);
        else failures += 1;
      });
    },
  );
  outgoing.once('error', () => {
    failures += 1;
  });
  outgoing.end();
};

const timer = setInterval(sendRequest, Number(everyMs));
process.on('message', () => {
  process.send?.({ took, failures });
  took = [];
});
process.on('disconnect', () => {
  clearInterval(timer);
  agent.destroy();
});
