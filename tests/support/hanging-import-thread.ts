import PostalMime from 'postal-mime';

/**
 * Import reader thread that hangs in each message containing this text, as a parser bug could. Before that, it
 * sends a message to the channel.
 */
const HANGING_TEXT = 'this message never ends';
const HANGING_CHANNEL = 'hanging-import-thread';

const parse = PostalMime.parse.bind(PostalMime);
Object.assign(PostalMime, {
  parse: (message: Buffer, options?: Parameters<typeof parse>[1]) => {
    if (message.includes(HANGING_TEXT)) {
      new BroadcastChannel(HANGING_CHANNEL).postMessage('hanging');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    }
    return parse(message, options);
  },
});

await import('../../server/pda/data/imports/worker/thread.ts');
