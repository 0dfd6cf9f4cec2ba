/** What a localtunnel server hands out, and what is wrong with it. */

export type HandedOut = { address: string } | { problem: string };

/** @param answer `url` of the server's answer; `subdomain`: the name that was asked for */
export const readAddress = (answer: string, subdomain: string): HandedOut => {
  const url = URL.parse(answer);
  if (url === null || !/^https?:$/u.test(url.protocol) || url.href !== `${url.origin}/`)
    return { problem: 'The server names an address that is none.' };
  const [name = '', ...domain] = url.hostname.split('.');
  if (name !== subdomain || domain.length === 0)
    return {
      problem: `The server gives the name ${url.hostname} in place of ${subdomain}: somebody else has that one.`,
    };
  if (url.protocol === 'http:' && !url.hostname.endsWith('.localhost'))
    return { problem: `The server serves ${url.hostname} without TLS: anybody on the way could read it.` };
  return { address: url.origin };
};
