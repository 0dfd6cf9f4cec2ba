'use strict';

/**
 * Makes servers that specify no port listen on loopback. Preloaded into a localtunnel server, which would otherwise
 * open a port on all interfaces for each name.
 */
const { Server } = require('node:net');

const { listen } = Server.prototype;
Server.prototype.listen = function listenOnLoopback(...args) {
  const [first] = args;
  return Reflect.apply(listen, this, typeof first === 'function' ? [{ port: 0, host: '127.0.0.1' }, first] : args);
};
