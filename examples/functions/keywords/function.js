// Stores keywords and a mood score for each new or changed text. Its word lists are English.

const MAX_KEYWORDS = 5;
const MIN_KEYWORD_LETTERS = 4;

/** Words too common to be keywords. */
const STOP_WORDS = new Set(
  `about above after again against also although always among another anything around away back became because been before behind being below
  between both came cannot could does doing done down during each either else even every everything felt first from gave goes going gone have
  having here hers herself himself however into itself just keep kept know last later less like little look made make many maybe mean might more
  most much must myself near need never next nothing often once only onto other ours over perhaps quite rather really said same says seem shall
  should since some something soon still such take tell than that their them then there these they thing things think this those though through
  today together told tomorrow took toward under until upon very want wants wanted was well went were what when where whether which while whom whose will with
  within without would yesterday yours yourself`.split(/\s+/u),
);

/** Sentiment score of a word, from -3 to 3. */
const WORD_SCORES = new Map(
  Object.entries({
    3: 'brilliant delighted excellent love loved outstanding overjoyed perfect thrilled wonderful',
    2: 'beautiful calm cheerful enjoyed excited friendly fun glad good grateful great happy kind laughed lovely nice proud relaxed smiled sunny thankful won',
    1: 'better clean comfortable easy fine fresh helped hope interesting okay peaceful quiet ready safe solved warm welcome',
    '-1': 'bored busy cold delayed difficult doubt hurry late lost missed noisy problem rain slow sorry stuck tired unsure',
    '-2': 'afraid alone angry annoyed anxious argued bad broken cried failed fear hurt ill lonely nervous pain sad sick stress stressed ugly upset worried wrong',
    '-3': 'awful devastated disaster dreadful furious hate hated heartbroken hopeless horrible miserable nightmare terrible terrified worst',
  }).flatMap(([score, words]) => words.split(' ').map((word) => /** @type {const} */ ([word, Number(score)]))),
);
const NEGATIONS = new Set(['not', 'no', 'never', 'hardly', "isn't", "wasn't", "don't", "didn't", "can't", "won't"]);

/** @returns {import('../function.d.ts').NamedBundle} */
export function dataBundle() {
  return {
    name: 'keywords',
    bundle: {
      texts: {
        endpoints: [
          { endpoint: 'rumpel/notablesv1', mapping: { text: 'message' } },
          { endpoint: 'diary/entries', mapping: { text: 'text' } },
          { endpoint: 'twitter/tweets', mapping: { text: 'text' } },
        ],
      },
    },
  };
}

/** @returns {import('../function.d.ts').Configuration} */
export function configuration() {
  return {
    id: 'keywords',
    info: {
      version: '1.0.0',
      versionReleaseDate: '2026-11-21T00:00:00.000Z',
      name: 'Keywords and mood',
      headline: 'Tags what you write with its keywords and its mood',
      description: {
        text: 'For each new or changed note, diary entry and tweet it stores up to five keywords and whether the text sounds glad or sad. It does not copy the texts.',
      },
    },
    trigger: { triggerType: 'individual' },
    dataBundle: dataBundle(),
  };
}

/** @param {string} text */
const wordsOf = (text) =>
  text
    .toLowerCase()
    .replaceAll('’', "'")
    .match(/\p{L}[\p{L}\p{M}']*/gu) ?? [];

/**
 * Returns up to `MAX_KEYWORDS` of the most frequent words, without short words, contractions and `STOP_WORDS`. Among
 * equally frequent words, longer ones come first, then earlier ones.
 * @param {string[]} words
 */
export const keywordsOf = (words) => {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const word of words) {
    if (word.length < MIN_KEYWORD_LETTERS || STOP_WORDS.has(word) || word.includes("'")) continue;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts]
    .toSorted(([a, countOfA], [b, countOfB]) => countOfB - countOfA || b.length - a.length)
    .slice(0, MAX_KEYWORDS)
    .map(([word]) => word);
};

/** Returns the mood from -1 (sad) to 1 (glad); 0 if the text has no scored word. @param {string[]} words */
export const moodOf = (words) => {
  let sum = 0;
  let scoredWords = 0;
  for (const [index, word] of words.entries()) {
    const score = WORD_SCORES.get(word);
    if (score === undefined) continue;
    scoredWords += 1;
    // "Not good" is bad, but less so than "bad".
    const isNegated = [words[index - 1], words[index - 2]].some(
      (previous) => previous !== undefined && NEGATIONS.has(previous),
    );
    sum += isNegated ? -score / 2 : score;
  }
  return scoredWords === 0 ? 0 : Math.round((sum / scoredWords / 3) * 100) / 100;
};

/** @param {number} mood */
const describeMood = (mood) => (mood > 0.15 ? 'glad' : mood < -0.15 ? 'sad' : 'even');

/**
 * @param {import('../function.d.ts').ProcessRequest<{ text?: unknown }>} request
 * @returns {import('../function.d.ts').Output[]}
 */
export function process({ request }) {
  const data = (request.data['texts'] ?? []).flatMap(({ endpoint, recordId, data: { text } }) => {
    if (typeof text !== 'string' || text.trim() === '') return [];
    const words = wordsOf(text);
    const mood = moodOf(words);
    return [{ text: { endpoint, recordId }, keywords: keywordsOf(words), mood, sounds: describeMood(mood) }];
  });
  return data.length === 0 ? [] : [{ namespace: 'keywords', endpoint: 'texts', data }];
}
