import { useState } from 'react';

/**
 * State of a text field whose value is stored elsewhere, such as in the URL, and may lag behind the input. Follows
 * other changes of the value, such as those caused by navigating back.
 */
export function useTextInput(
  value: string,
  send: (text: string) => void,
): { text: string; type: (text: string) => void; send: (text: string) => void } {
  const [text, setText] = useState(value);
  const [previousValue, setPreviousValue] = useState(value);
  /** Submitted input that the value does not reflect yet. */
  const [pendingTexts, setPendingTexts] = useState<readonly string[]>([]);
  if (value !== previousValue) {
    setPreviousValue(value);
    const index = pendingTexts.lastIndexOf(value);
    setPendingTexts(index === -1 ? [] : pendingTexts.slice(index + 1));
    if (index === -1) setText(value);
  }
  return {
    text,
    type: setText,
    send: (newText) => {
      setPendingTexts((pending) => (newText === (pending.at(-1) ?? value) ? pending : [...pending, newText]));
      send(newText);
    },
  };
}
