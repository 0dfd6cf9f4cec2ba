export type ParsedHead = { kind: 'head'; host: string } | { kind: 'incomplete' } | { kind: 'invalid' };

const HEAD_END = '\r\n\r\n';
const REQUEST_LINE = /^[A-Z]{1,20} [\x21-\x7e]{1,8000} HTTP\/1\.[01]$/u;
const HOST_LINE = /^host:[ \t]*([\x21-\x7e]{0,255})[ \t]*$/iu;
const INVALID: ParsedHead = { kind: 'invalid' };

/**
 * Reads the host from the head of a connection's first request. Rejects heads that two parsers could interpret
 * differently (RFC 9112, sections 2.2, 3.2 and 5.2).
 */
export const parseHead = (bytes: Buffer, maxBytes: number): ParsedHead => {
  const end = bytes.indexOf(HEAD_END);
  if (end === -1) return bytes.length >= maxBytes ? INVALID : { kind: 'incomplete' };
  const [requestLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  if (!REQUEST_LINE.test(requestLine)) return INVALID;
  let host: string | undefined;
  for (const line of lines) {
    if (/^[ \t]|[\r\n\0]/u.test(line)) return INVALID;
    if (!/^host[ \t]*:/iu.test(line)) continue;
    const value = HOST_LINE.exec(line)?.[1];
    if (value === undefined || host !== undefined) return INVALID;
    host = value.toLowerCase();
  }
  return { kind: 'head', host: host ?? '' };
};
