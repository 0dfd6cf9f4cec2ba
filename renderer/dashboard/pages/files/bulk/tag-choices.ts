/** `keep`: the tag stays as it is on each file. */
export type TagChoice = 'keep' | 'add' | 'remove';

export interface TagCount {
  tag: string;
  files: number;
}

/** Alternates `keep` and `remove` for a tag of all files. For other tags, cycles through `add`, `remove` and `keep`. */
export function nextChoice(choice: TagChoice, isOnAll: boolean): TagChoice {
  if (isOnAll) return choice === 'keep' ? 'remove' : 'keep';
  return choice === 'keep' ? 'add' : choice === 'add' ? 'remove' : 'keep';
}

/** Returns the tags to add and to remove. A new tag overrides the choice for an existing tag with the same name. */
export function changeOf(
  choices: ReadonlyMap<string, TagChoice>,
  newTags: readonly string[],
): { add: string[]; remove: string[] } {
  const tagsWith = (choice: TagChoice) => [...choices].filter(([, chosen]) => chosen === choice).map(([tag]) => tag);
  return {
    add: [...new Set([...tagsWith('add'), ...newTags])],
    remove: tagsWith('remove').filter((tag) => !newTags.includes(tag)),
  };
}
