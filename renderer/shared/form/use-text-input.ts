import { useState } from 'react';

/**
 * The text of a field whose value lives elsewhere and comes back from there later than the next letter is typed: in
 * the address, say. Shown is what was typed; when the value becomes something that was not typed here, as by going
 * back, the field follows.
 */
export function useTextInput(
  value: string,
  send: (text: string) => void,
): { text: string; type: (text: string) => void; send: (text: string) => void } {
  const [text, setText] = useState(value);
  const [seen, setSeen] = useState(value);
  /** What was sent and has not come back. */
  const [underWay, setUnderWay] = useState<readonly string[]>([]);
  if (value !== seen) {
    setSeen(value);
    const at = underWay.lastIndexOf(value);
    setUnderWay(at === -1 ? [] : underWay.slice(at + 1));
    if (at === -1) setText(value);
  }
  return {
    text,
    type: setText,
    send: (wanted) => {
      setUnderWay((sent) => (wanted === (sent.at(-1) ?? value) ? sent : [...sent, wanted]));
      send(wanted);
    },
  };
}
