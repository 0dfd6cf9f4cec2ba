import { isolated } from '../../../server/wire/isolation.ts';

/** Isolates each text that is put into a message of the catalogue, so that a foreign name cannot reorder the words of the message. */
export function isolateParameters<T>(messages: T): T {
  if (typeof messages === 'function') {
    const message = messages as unknown as (...parameters: unknown[]) => unknown;
    const isolating = (...parameters: unknown[]) =>
      message(...parameters.map((parameter) => (typeof parameter === 'string' ? isolated(parameter) : parameter)));
    return isolating as T;
  }
  if (Array.isArray(messages)) return messages.map(isolateParameters) as T;
  if (typeof messages !== 'object' || messages === null) return messages;
  return Object.fromEntries(Object.entries(messages).map(([name, value]) => [name, isolateParameters(value)])) as T;
}
