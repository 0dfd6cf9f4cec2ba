/** Checks that a localtunnel server assigned the requested name and serves it with TLS. */
export const validateAssignedAddress = (
  assignedUrl: string,
  subdomain: string,
): { address: string } | { problem: string } => {
  const url = URL.parse(assignedUrl);
  if (url === null || !/^https?:$/u.test(url.protocol) || url.href !== `${url.origin}/` || !url.hostname.includes('.'))
    return { problem: 'The server assigned an invalid address.' };
  if (url.hostname.split('.')[0] !== subdomain)
    return {
      problem: `The server assigned ${url.hostname} in place of ${subdomain}, which is in use by another client.`,
    };
  if (url.protocol === 'http:' && !url.hostname.endsWith('.localhost'))
    return { problem: `The server serves ${url.hostname} without TLS, so anyone on the path could read the traffic.` };
  return { address: url.origin };
};
