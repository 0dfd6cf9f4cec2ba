/** Known reasons for missed targets, by the beginning of the figure's label. */
const REASONS: Readonly<Record<string, string>> = {
  'GET of the newest 100':
    'both sides execute the same SELECT. The difference is the token check, validation, limits and headers; no function stands out in the profile.',
  '`between` that matches one':
    'the response is a single record, so the token check, validation, limits and headers take longer than the rest of the request.',
  'POST one 200-byte record':
    'the record is numbered, stored, counted and synced to disk before the response; the baseline does none of this.',
  'First page of a filtered, sorted table':
    'the slowest view searches for text inside a field, so it reads a whole index of 1,000,000 entries. The other views take less than half as long.',
  'First page of the access log with 1,000,000 entries, slowest search (filter: record)':
    'a search for a rarely read record scans about 2,000 unions and 1,200 sequence sets that are spread over the file. It takes 34 to 43 ms on an idle machine.',
  'p99 of a single-record GET while 200,000 records':
    'among about a thousand reads, the ten slowest determine the 99th percentile, and with a read every 4 ms a single pause of the machine can delay that many. The value is 11 to 15 ms when the benchmark runs alone.',
  'p99 of a single-record GET while a function':
    'the server, the load generator and the function share two CPUs, so about one read in a hundred has to wait for the function, although it has the lowest priority. The rounds of one run differ widely.',
  'Download of 2000 MB':
    'one thread reads the chunks and another thread sends them. Chunk sizes from 64 to 512 KiB make no difference; the rounds of one run differ by a tenth.',
  'POST batches of 1000': 'both sides wait for the same disk: the rounds of one run differ by half.',
};

export const reasonOf = (label: string): string | undefined =>
  Object.entries(REASONS).find(([name]) => label.startsWith(name))?.[1];
