/** Choice of the owner for a tag that some of the selected files have. `keep`: each file stays as it is. */
export type TagChoice = 'keep' | 'add' | 'remove';

/** A tag with the number of selected files that have it. */
export interface TagCount {
  tag: string;
  files: number;
}

/** Returns the choice after a click: a tag of all files is removed, any other is first added to all files. */
export function nextChoice(choice: TagChoice, isOnAll: boolean): TagChoice {
  if (isOnAll) return choice === 'keep' ? 'remove' : 'keep';
  return choice === 'keep' ? 'add' : choice === 'add' ? 'remove' : 'keep';
}

/** Returns the tags to add and to remove. A new tag wins over the choice for an existing tag of the same name. */
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
