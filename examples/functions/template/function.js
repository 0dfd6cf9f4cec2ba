// A minimal function. Copy this folder and change the names here and in manifest.json.

/** @type {import('../function.d.ts').NamedBundle} */
const bundle = {
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
      description: { text: 'Stores the number of words of each new or changed note.' },
    },
    trigger: { triggerType: 'individual' },
    dataBundle: bundle,
  };
}

/** Selects the data of one run. A constant bundle is enough: the PDA passes only new and changed records. */
export function dataBundle() {
  return bundle;
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
      endpoint: 'word-counts',
      data: notes.map(({ recordId, data }) => ({
        note: recordId,
        words: (data.text ?? '').split(/\s+/u).filter((word) => word !== '').length,
      })),
    },
  ];
}
