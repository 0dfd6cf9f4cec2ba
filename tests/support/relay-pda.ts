import { holdTunnel } from './relay.ts';

// `relay-pda.ts PORT DOMAIN NAME [CA]`: a PDA in a separate process. It prints `up` and greets clients.

const [port = '', domain = '', name = '', ca] = process.argv.slice(2);
await holdTunnel({ port: Number(port), domain, ...(ca === undefined ? {} : { ca }) }, name, (socket) => {
  socket.on('error', () => socket.destroy());
  socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello'));
  socket.once('end', () => socket.end()).resume();
});
process.stdout.write('up\n');
