import { Agent, request } from 'node:http';

// Requests single records at a constant rate and measures the response times.
// Usage: node sampler.ts URL TOKEN INTERVAL-MS ID…
// Runs as a separate process, so that the measured load does not delay its clock. Replies to each message with the
// durations since the last reply, in milliseconds, and with the number of failures since the start.

const [url = '', token = '', intervalMs = '5', ...ids] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 200 });
let durations: number[] = [];
let failures = 0;
let requestCount = 0;

const sendRequest = (): void => {
  const id = ids[requestCount % ids.length] ?? '';
  requestCount += 1;
  const start = performance.now();
  const outgoing = request(
    `${url}/api/v2.6/data-record/${id}`,
    { agent, headers: { 'x-auth-token': token } },
    (response) => {
      response.resume();
      response.once('end', () => {
        if (response.statusCode === 200) durations.push(performance.now() - start);
        else failures += 1;
      });
    },
  );
  outgoing.once('error', () => {
    failures += 1;
  });
  outgoing.end();
};

const timer = setInterval(sendRequest, Number(intervalMs));
process.on('message', () => {
  process.send?.({ durations, failures });
  durations = [];
});
process.on('disconnect', () => {
  clearInterval(timer);
  agent.destroy();
});
