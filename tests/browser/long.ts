import { THOROUGH } from '../support/at-length.ts';

/**
 * Titles of tests that only `npm run test:long` runs (PDA_THOROUGH=1): each is another form of what a test beside it shows, or axe on a state of a page that axe sees in the whole
 * check as well. That has a bound of time.
 */
const TITLES = [
  // exposure
  'every state of the certificate is said in plain words',
  'a phone reads the address from the picture, in the dark too',
  'terms that nobody could know before are asked about when they are there',
  'a domain of this computer needs no certificate and no terms',
  'an address that one has anyway, and none again',
  'a way that config.json sets is shown, and not changed here',
  'nothing given to others is said in one line',
  'while it loads there are lines, and without the PDA what was known stays',
  'an address that is refused leaves all as it was',
  'going dark shows the failed try from outside, and light undoes it',
  'who is here by the public address is warned before going dark, and told what became of it',
  // requests
  'an entry can be left out as a whole, and nothing is nothing to allow',
  'a last day of the owner’s own choice',
  'every record that would leave can be paged through',
  'on the list and on a request, in each of its states',
  'on refusing, on a change, and where there is nothing',
  // functions
  'a package that is dropped anywhere on the page is installed',
  'says how far a package has come, and goes on when one looks elsewhere meanwhile',
  'a dry run that fails says how',
  'reads everything once more when one says so',
  'a function that is not there says so',
  'how to write one is told where one looks for it',
  'runs by itself when there are new data, and the page shows it without being asked',
  'is not available, and says why',
  'without functions, on the way in, and in a list of them',
  'in a function, its consent, its dry run and its runs',
  // applications
  'shows the PDA as the application sees it',
  'what it read is drawn day by day, and told as a table',
  'Enter approves nothing; the space bar does',
  'an application is found by its name, and one that is not there says so',
  'says how one gets here',
  'in the catalogue, in an application, and in what it asks',
  // login
  'the other forms of the address lead the same way',
  'a name that is not known here is not put before the password',
  'a PDA that stops answering is said, and tried again',
  'a PDA that is not set up says so',
  'going back from the application does not lead into the journey again',
  'an application that names no address to return to is told so at its fallback',
  // files
  'every kind is shown as what it is',
  'what takes the space is a picture and a table, and leads to the files',
  'hundreds of small files go in while the page stays at hand',
  'a folder is chosen without a mouse, and goes where one looks when it is no folder',
  'axe finds nothing, whatever is shown',
  'an upload outlives a restart of the PDA, and sends nothing twice',
  // history
  'goes back to where the history begins',
  'a record that nobody saw says so, and one that is gone is still told of',
  'an entry opens with its records, its consent and a link of its own',
  'axe finds nothing in the history',
  // people
  'what they did is told by their name, also when they are gone',
  'a list that cannot be had says so, and is asked for again',
  'what is wrong with a person is said at its field, and nothing is lost',
  'a name and an address are changed, and a new password takes the place of the old one',
  // timeline
  'goes back without end, each entry once, also of one second',
  'that it cannot be loaded is said, and it is asked for again',
  'is empty at first, and says what makes entries',
  'in a timeline of every kind of entry',
  // sharing
  'an end that comes while one looks is seen without reloading',
  'the map is also a table, and both lead on',
  'what less was allowed and what changed is in the history of permissions',
  'on the list, the map, the table and a consent, in each of its states',
  // offers
  'without an exchange',
  'a registration that fails is said on Home, with the reason',
  // records and imports
  'an open record has an address of its own, and back closes it',
  'a file dropped anywhere on Data is imported',
  'an upload can be paused and goes on; after the page was loaded again it asks for the same file',
  'with data in it',
  'settings, and the API documentation',
  'an import, from the chosen file to its end',
  // erasure
  'where data stands a link leads to what would go, and a name without data says so',
  // people, and messages to others: axe looks at both pages on the walk through all of them
  'axe finds nothing',
  // languages: the walk in German is in the whole check, and all other tests are in English
  'every page by eye and by tree: en, part 1',
  'every page by eye and by tree: en, part 2',
  'every page by eye and by tree: en, part 3',
  'every page by keyboard: en',
  // the story of the network does the same at a real exchange and a real contracts service, by mouse
  'an Offer of a real exchange is claimed by keyboard, and shares nothing before its request is allowed',
  'a contract is joined at a real service, seen, and left by keyboard',
  // pictures are taken by a run of their own, which is not held up by this list
  ...(process.env['PDA_PICTURES'] === undefined ? ['the way of the guide'] : []),
];

const literally = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`);

/** What is left out of the whole check. */
export const LONG: RegExp | undefined = THOROUGH
  ? undefined
  : new RegExp(`(?:${TITLES.map(literally).join('|')})$`, 'u');
