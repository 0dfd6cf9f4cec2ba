/** The smallest function that does something. Copy this folder, change the names here and in manifest.json, and go on from there. */

/** @type {import('../function.d.ts').NamedBundle} */
const dataBundleOf = {
  name: 'my-function',
  bundle: {
    notes: {
      endpoints: [{ endpoint: 'diary/entries', mapping: { text: 'text' } }],
      limit: 100,
    },
  },
};

/** @returns {import('../function.d.ts').Configuration} */
export function configuration() {
  return {
    id: 'my-function',
    info: {
      version: '0.1.0',
      name: 'My function',
      headline: 'Counts the words of each note',
      description: { text: 'For each new note it stores how many words there are in it.' },
    },
    trigger: { triggerType: 'individual' },
    dataBundle: dataBundleOf,
  };
}

/** What to read in a window. Here it is the same each time; the PDA hands over only what is new. */
export function dataBundle() {
  return dataBundleOf;
}

/**
 * @param {import('../function.d.ts').ProcessRequest<{ text?: string }>} request
 * @returns {import('../function.d.ts').Output[]}
 */
export function process({ request }) {
  const { notes = [] } = request.data;
  return [
    {
      namespace: 'my-function',
      endpoint: 'greetings',
      data: notes.map(({ recordId, data }) => ({
        note: recordId,
        words: (data.text ?? '').split(/\s+/u).filter((word) => word !== '').length,
      })),
    },
  ];
}
