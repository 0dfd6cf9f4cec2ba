export interface AttentionItem {
  id: string;
  /** Contribution to the count in the page's heading; default: 1. */
  count?: number;
  title: string;
  text: string;
  to: string;
  /** Label of the link; default: "View". */
  action?: string;
  /** Id of the failed import that the owner can dismiss. */
  dismissibleImport?: string;
  isError: boolean;
}

/**
 * Combines lists of items.
 * @param lists undefined for a list that has not loaded; then `isComplete` is false
 */
export function combineItems(lists: readonly (readonly AttentionItem[] | undefined)[]): {
  items: AttentionItem[];
  total: number;
  isComplete: boolean;
} {
  const items = lists.flatMap((list) => list ?? []);
  return {
    items,
    total: items.reduce((sum, { count = 1 }) => sum + count, 0),
    isComplete: lists.every((list) => list !== undefined),
  };
}
