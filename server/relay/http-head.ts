/** The Host of the first request of a connection, read so that the connection can be handed over as it is. Pure. */

export type HeadFound = { kind: 'head'; host: string } | { kind: 'more' } | { kind: 'bad' };

const END = '\r\n\r\n';
const REQUEST_LINE = /^[A-Z]{1,20} [\x21-\x7e]{1,8000} HTTP\/1\.[01]$/u;
const HOST_LINE = /^host:[ \t]*([\x21-\x7e]{0,255})[ \t]*$/iu;
const BAD: HeadFound = { kind: 'bad' };

/**
 * Looks for it. Exactly one Host counts; a head that two readers could take for two things (lines that go on, two hosts, a bare line feed) counts for
 * nothing.
 */
export const findHead = (bytes: Buffer, maxBytes: number): HeadFound => {
  const end = bytes.indexOf(END);
  if (end === -1) return bytes.length >= maxBytes ? BAD : { kind: 'more' };
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  if (!REQUEST_LINE.test(first)) return BAD;
  let host: string | undefined;
  for (const line of lines) {
    if (/^[ \t]|[\r\n\0]/u.test(line)) return BAD;
    if (!/^host[ \t]*:/iu.test(line)) continue;
    const found = HOST_LINE.exec(line)?.[1];
    if (found === undefined || host !== undefined) return BAD;
    host = found.toLowerCase();
  }
  return { kind: 'head', host: host ?? '' };
};
