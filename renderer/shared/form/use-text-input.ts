import { useState } from 'react';

/**
 * Text of a field whose value lives elsewhere, such as the URL, and updates only after further typing. Shows the typed
 * text; follows the value when it changes for another reason, such as navigating back.
 */
export function useTextInput(
  value: string,
  send: (text: string) => void,
): { text: string; type: (text: string) => void; send: (text: string) => void } {
  const [text, setText] = useState(value);
  const [previousValue, setPreviousValue] = useState(value);
  /** Sent texts that have not come back as the value yet. */
  const [pendingTexts, setPendingTexts] = useState<readonly string[]>([]);
  if (value !== previousValue) {
    setPreviousValue(value);
    const at = pendingTexts.lastIndexOf(value);
    setPendingTexts(at === -1 ? [] : pendingTexts.slice(at + 1));
    if (at === -1) setText(value);
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
