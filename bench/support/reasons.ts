/** What is known of figures that miss their target on some machines or days. By how their name begins. */
const REASONS: Readonly<Record<string, string>> = {
  'First page of the ledger with 1,000,000 rows, worst search by record':
    'a record that hardly anybody read is looked for in some 2,000 unions and 1,200 sets of records that lie all over the file. It takes 34 to 43 ms when the machine has nothing else to do.',
  'p99 of a single-record GET while 200,000 records':
    'nine reads in nine hundred are the ninety-ninth percentile, and with a read each 4 ms one pause of the machine is as many. It takes 11 to 15 ms when it runs alone.',
  'p99 of a single-record GET while a function':
    'the server, its load and the function share two processors, and one read in a hundred meets the function on its own. It has the lowest priority already. The rounds of one run differ by a factor of three.',
  'Download of 2000 MB':
    'a piece is read by another thread than the one that sends it. Pieces of 64 to 512 KiB make no difference; the rounds of one run differ by a tenth.',
  'POST batches of 1000': 'both sides wait for the same disk: the rounds of one run differ by half.',
};

export const reasonOf = (what: string): string | undefined =>
  Object.entries(REASONS).find(([name]) => what.startsWith(name))?.[1];
