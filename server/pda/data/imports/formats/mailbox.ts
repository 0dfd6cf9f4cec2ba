import PostalMime, { type Address, type Email } from 'postal-mime';
import {
  fitting,
  instantOf,
  isoOf,
  orNothing,
  someOf,
  type EntrySink,
  type ParsedJson,
  type Reader,
} from '../parsing/entries.ts';
import { createMarkup } from '../parsing/markup.ts';
import { createLines } from '../parsing/text-lines.ts';

/**
 * Mailboxes (mbox) and single messages. Of a message its words are stored, and of what is attached the names: the files themselves stay in the mailbox.
 */

/** Bytes of a message that are looked at: its words come before what is attached. */
const MAX_MESSAGE = 32_000_000;
/** Bytes of the headers of a message and of all its parts: encoded words and addresses cost far more time than other text. */
const MAX_HEADERS = 300_000;
/** Lines of a message that could separate two parts; each part costs memory and time however small it is. */
const MAX_SEPARATORS = 10_000;
/** Bytes of a line below which it counts as short, and how many of those a message may have: postal-mime pays for each line. */
const SHORT_LINE = 40;
const MAX_SHORT_LINES = 200_000;
const MAX_NESTING = 50;
const MAX_PEOPLE = 500;
const MAX_ATTACHMENTS = 500;

const SEPARATOR = /^From (?:\S+|".*?").*(?:\d{1,2}:\d{2}|\b(?:19|20)\d{2}\b)/u;
const FROM = Buffer.from('From ');
const QUOTE = 0x3e;
const HYPHEN = 0x2d;
const LINE_END = Buffer.from('\n');

const people = (list: readonly Address[] | undefined): readonly ParsedJson[] | undefined =>
  someOf(
    (list ?? [])
      .flatMap((one) => ('group' in one && one.group !== undefined ? one.group : [one]))
      .slice(0, MAX_PEOPLE)
      .map((one) => ({ name: orNothing(one.name), address: orNothing(one.address) })),
  );

/** The words of a message that has nothing but HTML. */
const wordsOf = (html: string): string => {
  const lines = [''];
  const breakLine = (): void => void lines.push('');
  const markup = createMarkup(
    { xml: false },
    {
      open(name) {
        if (/^(?:br|p|div|tr|li|h\d)$/u.test(name)) breakLine();
      },
      close(name) {
        if (/^(?:p|div|h\d)$/u.test(name)) breakLine();
      },
      text: (text) => void lines.push((lines.pop() ?? '') + text.replaceAll(/\s+/gu, ' ')),
    },
  );
  markup.push(Buffer.from(fitting(html, 2_000_000)));
  markup.end();
  return lines
    .map((line) => line.trim())
    .join('\n')
    .replaceAll(/\n{3,}/gu, '\n\n')
    .trim();
};

const sizeOf = (content: ArrayBuffer | Uint8Array | string): number =>
  typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength;

const LABELS = 'x-gmail-labels';

/** `problem`: why the message was given up before it was parsed. */
type Message = { bytes: Buffer; size: number; line: number; problem: string | undefined };

const tell = async (found: EntrySink, { bytes, size, line, problem }: Message): Promise<void> => {
  const place = `line ${line}`;
  if (problem !== undefined) return found.trouble(place, problem);
  let email: Email;
  try {
    email = await PostalMime.parse(bytes, { maxHeadersSize: MAX_HEADERS, maxNestingDepth: MAX_NESTING });
  } catch {
    return found.trouble(place, 'this message cannot be read');
  }
  if (
    email.headers.length === 0 ||
    (email.from === undefined && email.date === undefined && email.messageId === undefined)
  )
    return found.trouble(place, 'this is no message: it has no sender, no date and no id');
  const header = (name: string): string | undefined => email.headers.find(({ key }) => key === name)?.value;
  const sent = instantOf(email.date ?? header('date') ?? '');
  const whole = size <= MAX_MESSAGE;
  const messageId = orNothing(email.messageId);
  const written = orNothing(email.text) ?? (email.html === undefined ? undefined : orNothing(wordsOf(email.html)));
  const subject = orNothing(email.subject);
  const from = people(email.from === undefined ? [] : [email.from])?.[0];
  found.entry(
    {
      kind: 'mail/messages',
      identity:
        messageId === undefined
          ? `${sent ?? ''}\n${JSON.stringify(from)}\n${subject ?? ''}\n${size}`
          : `id\n${messageId}`,
      data: {
        date: sent === undefined ? undefined : isoOf(sent),
        from,
        to: people(email.to),
        cc: people(email.cc),
        bcc: people(email.bcc),
        replyTo: people(email.replyTo),
        subject,
        text: written,
        labels: someOf((header(LABELS) ?? '').split(',').flatMap((one) => orNothing(one) ?? [])),
        messageId,
        inReplyTo: orNothing(email.inReplyTo),
        attachments: someOf(
          email.attachments.slice(0, MAX_ATTACHMENTS).map((one) => ({
            name: orNothing(one.filename ?? undefined),
            contentType: orNothing(one.mimeType),
            // Of a message that was cut off the last one's size would be wrong.
            bytes: whole ? sizeOf(one.content) : undefined,
          })),
        ),
        bytes: size,
        cutOff: whole ? undefined : true,
      },
    },
    place,
  );
};

/** @param single a file that is one message */
export const createMailReader = (found: EntrySink, single: boolean): Reader => {
  let pieces: Buffer[] = [];
  let held = 0;
  let size = 0;
  let separators = 0;
  let shortLines = 0;
  let problem: string | undefined;
  let begun = single;
  let beganAt = 1;
  let afterBlank = true;
  let waiting: Message[] = [];

  const settle = (): void => {
    if (begun && size > 0) waiting.push({ bytes: Buffer.concat(pieces), size, line: beganAt, problem });
    pieces = [];
    held = 0;
    size = 0;
    separators = 0;
    shortLines = 0;
    problem = undefined;
  };

  const lines = createLines((line, number) => {
    const isFrom = !single && afterBlank && line.subarray(0, FROM.length).equals(FROM);
    afterBlank = line.length === 0;
    if (isFrom && SEPARATOR.test(line.toString('latin1', 0, 500))) {
      settle();
      begun = true;
      beganAt = number;
      return;
    }
    if (!begun) return;
    // ">From" stands for a line that begins with "From", ">>From" for one with ">From".
    const isQuoted = !single && line[0] === QUOTE && /^>+From /u.test(line.toString('latin1', 0, 100));
    const content = isQuoted ? line.subarray(1) : line;
    size += content.length + 1;
    if (held > MAX_MESSAGE || problem !== undefined) return;
    held += content.length + 1;
    if (content[0] === HYPHEN && content[1] === HYPHEN) separators += 1;
    if (content.length < SHORT_LINE) shortLines += 1;
    if (separators > MAX_SEPARATORS) problem = 'this message has too many parts';
    else if (shortLines > MAX_SHORT_LINES) problem = 'this message has too many lines';
    if (problem !== undefined) {
      pieces = [];
      return;
    }
    pieces.push(Buffer.from(content), LINE_END);
  });

  const tellAll = async (): Promise<void> => {
    const ready = waiting;
    waiting = [];
    for (const message of ready) await tell(found, message);
  };

  return {
    async push(piece) {
      lines.push(piece);
      await tellAll();
    },
    async end() {
      lines.end();
      settle();
      await tellAll();
    },
  };
};

export const isMailbox = (head: string): boolean =>
  SEPARATOR.test(head.slice(0, 500)) && /^[\w-]+:/mu.test(head.slice(0, 4000));
export const isMessage = (name: string, head: string): boolean =>
  /\.eml$/iu.test(name) &&
  /^(?:from|date|subject|received|return-path|message-id|mime-version|delivered-to):/imu.test(head.slice(0, 4000));
