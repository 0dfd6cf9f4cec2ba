import { Agent, request } from 'node:http';

/**
 * Asks for one record at a time, at a steady pace whatever the answers do, and keeps how long each took: node sampler.ts URL TOKEN
 * EVERY-MS ID… . A process of its own, so that the load it looks into does not hold its clock up. `take` as a message: the
 * milliseconds so far are sent back, and forgotten.
 */

const [url = '', token = '', everyMs = '5', ...ids] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 200 });
let took: number[] = [];
let failed = 0;
let next = 0;

const ask = (): void => {
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

const timer = setInterval(ask, Number(everyMs));
process.on('message', () => {
  process.send?.({ took, failed });
  took = [];
});
process.on('disconnect', () => {
  clearInterval(timer);
  agent.destroy();
});
