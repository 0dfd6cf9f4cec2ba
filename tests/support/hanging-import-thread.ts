import PostalMime from 'postal-mime';

// Import reader thread that hangs on each mail with `HANGING_TEXT`, as if its parser had a bug. Before it hangs, it
// notifies `HANGING_CHANNEL`.

const HANGING_TEXT = 'this message never ends';
const HANGING_CHANNEL = 'hanging-import-thread';

const parse = PostalMime.parse.bind(PostalMime);
Object.assign(PostalMime, {
  parse: (mail: Buffer, options?: Parameters<typeof parse>[1]) => {
    if (mail.includes(HANGING_TEXT)) {
      new BroadcastChannel(HANGING_CHANNEL).postMessage('hanging');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    }
    return parse(mail, options);
  },
});

await import('../../server/pda/data/imports/worker/thread.ts');
