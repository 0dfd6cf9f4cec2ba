import { isolateText } from '../../../server/wire/isolation.ts';

/** Isolates the string parameters of all messages, so that the writing direction of a name cannot reorder a message. */
export function isolateParameters<T>(messages: T): T {
  if (typeof messages === 'function') {
    const message = messages as unknown as (...parameters: unknown[]) => unknown;
    const isolating = (...parameters: unknown[]) =>
      message(...parameters.map((parameter) => (typeof parameter === 'string' ? isolateText(parameter) : parameter)));
    return isolating as T;
  }
  if (Array.isArray(messages)) return messages.map(isolateParameters) as T;
  if (typeof messages !== 'object' || messages === null) return messages;
  return Object.fromEntries(Object.entries(messages).map(([name, value]) => [name, isolateParameters(value)])) as T;
}
