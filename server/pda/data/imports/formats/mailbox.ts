import PostalMime, { decodeWords, type Address, type Email } from 'postal-mime';
import {
  truncateText,
  instantOf,
  isoOf,
  nonEmptyText,
  nonEmptyList,
  type EntrySink,
  type ParsedJson,
  type FormatReader,
} from '../parsing/entries.ts';
import { createMarkupParser } from '../parsing/markup.ts';
import { createLineSplitter } from '../parsing/text-lines.ts';
import { parseWrittenTime } from '../parsing/written-times.ts';

/** Maximum bytes of a message that are parsed. The text precedes the attachments, so it is rarely cut off. */
const MAX_MESSAGE_BYTES = 32_000_000;
/** Maximum bytes of all headers of a message and its parts: encoded words and addresses are slow to parse. */
const MAX_HEADER_BYTES = 300_000;
/** Maximum lines of a message that could separate MIME parts. Each part costs memory and time, however small it is. */
const MAX_BOUNDARY_LINES = 10_000;
/** The number of shorter lines is limited, because postal-mime spends time on each line. */
const SHORT_LINE_BYTES = 40;
const MAX_SHORT_LINES = 200_000;
const MAX_HTML_CHARS = 2_000_000;
const MAX_NESTING = 50;
const MAX_ADDRESSES = 500;
const MAX_ATTACHMENTS = 500;
const MAX_DATE_CHARS = 200;

/** First line of each message of a mailbox, with sender and time. */
const FROM_LINE = /^From (?:\S+|".*?").*(?:\d{1,2}:\d{2}|\b(?:19|20)\d{2}\b)/u;
const FROM_PREFIX = Buffer.from('From ');
const GREATER_THAN = 0x3e;
const HYPHEN = 0x2d;
const LINE_END = Buffer.from('\n');

const addressListOf = (list: readonly Address[] | undefined): readonly ParsedJson[] | undefined =>
  nonEmptyList(
    (list ?? [])
      .flatMap((address) => ('group' in address && address.group !== undefined ? address.group : [address]))
      .slice(0, MAX_ADDRESSES)
      .map(({ name, address }) => ({ name: nonEmptyText(name), address: nonEmptyText(address) })),
  );

const textOfHtml = (html: string): string => {
  const lines = [''];
  const breakLine = (): void => void lines.push('');
  const markup = createMarkupParser(
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
  markup.push(Buffer.from(truncateText(html, MAX_HTML_CHARS)));
  markup.end();
  return lines
    .map((line) => line.trim())
    .join('\n')
    .replaceAll(/\n{3,}/gu, '\n\n')
    .trim();
};

/** End of a date without a UTC offset or the name of a time zone. A year or a comment can follow the time of day. */
const DATE_WITHOUT_ZONE = /(?<=:\d{2}(?:\.\d+)?(?: ?[AP]M)?(?: \d{4})?) ?(?:\(.*)?$/iu;
const NAMED_ZONE = /(?<=:\d{2}) [A-Z]+(?: DST)?(?: \(.*)?$/iu;

/**
 * Returns the time of a Date header in Unix milliseconds; undefined if it cannot be parsed. A time without a time zone,
 * or with the name of an unknown one, is in UTC (RFC 5322, section 4.3): the time zone of this computer is that of
 * neither the sender nor the next import.
 */
const sentTimeOf = (header: string): number | undefined => {
  const date = header.replaceAll(/\s+/gu, ' ').trim().slice(0, MAX_DATE_CHARS);
  if (DATE_WITHOUT_ZONE.test(date)) {
    const localTime = date.replace(DATE_WITHOUT_ZONE, '');
    return instantOf(`${localTime} +0000`) ?? instantOf(`${localTime}Z`);
  }
  return instantOf(date) ?? parseWrittenTime(date) ?? instantOf(date.replace(NAMED_ZONE, ' +0000'));
};

const sizeOf = (content: ArrayBuffer | Uint8Array | string): number =>
  typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength;

type Message = {
  bytes: Buffer;
  /** Bytes of the whole message, including those beyond MAX_MESSAGE_BYTES. */
  size: number;
  line: number;
  /** Set if the message is not parsed because of a limit. A message that is only too large is truncated and parsed. */
  problem: string | undefined;
};

const parseMessage = async (sink: EntrySink, { bytes, size, line, problem }: Message): Promise<void> => {
  const filePosition = `line ${line}`;
  if (problem !== undefined) return sink.addProblem(filePosition, problem);
  if (!sink.beginEntry(filePosition)) return;
  let email: Email;
  try {
    email = await PostalMime.parse(bytes, { maxHeadersSize: MAX_HEADER_BYTES, maxNestingDepth: MAX_NESTING });
  } catch {
    return sink.addProblem(filePosition, 'this message cannot be parsed');
  }
  if (
    email.headers.length === 0 ||
    (email.from === undefined && email.date === undefined && email.messageId === undefined)
  )
    return sink.addProblem(filePosition, 'this is not a message: it has no sender, date or id');
  const headerOf = (name: string): string | undefined => email.headers.find(({ key }) => key === name)?.value;
  const sentAt = sentTimeOf(headerOf('date') ?? '');
  const isComplete = size <= MAX_MESSAGE_BYTES;
  const messageId = nonEmptyText(email.messageId);
  const text =
    nonEmptyText(email.text) ?? (email.html === undefined ? undefined : nonEmptyText(textOfHtml(email.html)));
  const subject = nonEmptyText(email.subject);
  const from = addressListOf(email.from === undefined ? [] : [email.from])?.[0];
  sink.addEntry(
    {
      kind: 'mail/messages',
      identity:
        messageId === undefined
          ? `${sentAt ?? ''}\n${JSON.stringify(from)}\n${subject ?? ''}\n${size}`
          : `id\n${messageId}`,
      data: {
        date: sentAt === undefined ? undefined : isoOf(sentAt),
        from,
        to: addressListOf(email.to),
        cc: addressListOf(email.cc),
        bcc: addressListOf(email.bcc),
        replyTo: addressListOf(email.replyTo),
        subject,
        text,
        labels: nonEmptyList(
          decodeWords(headerOf('x-gmail-labels') ?? '')
            .split(',')
            .flatMap((label) => nonEmptyText(label) ?? []),
        ),
        messageId,
        inReplyTo: nonEmptyText(email.inReplyTo),
        attachments: nonEmptyList(
          email.attachments.slice(0, MAX_ATTACHMENTS).map((attachment) => ({
            name: nonEmptyText(attachment.filename ?? undefined),
            contentType: nonEmptyText(attachment.mimeType),
            // The last attachment of a truncated message would have the wrong size, so all sizes are left out.
            bytes: isComplete ? sizeOf(attachment.content) : undefined,
          })),
        ),
        bytes: size,
        cutOff: isComplete ? undefined : true,
      },
    },
    filePosition,
  );
};

/** @param isSingle true if the file is a single message and not a mailbox */
export const createMailReader = (sink: EntrySink, isSingle: boolean): FormatReader => {
  let chunks: Buffer[] = [];
  let bufferedBytes = 0;
  let size = 0;
  let boundaryLines = 0;
  let shortLines = 0;
  let problem: string | undefined;
  let isInMessage = isSingle;
  let firstLine = 1;
  let isAfterBlankLine = true;
  let pendingMessages: Message[] = [];

  const endMessage = (): void => {
    if (isInMessage && size > 0) pendingMessages.push({ bytes: Buffer.concat(chunks), size, line: firstLine, problem });
    chunks = [];
    bufferedBytes = 0;
    size = 0;
    boundaryLines = 0;
    shortLines = 0;
    problem = undefined;
  };

  const lines = createLineSplitter((line, number) => {
    const hasFromPrefix = !isSingle && isAfterBlankLine && line.subarray(0, FROM_PREFIX.length).equals(FROM_PREFIX);
    isAfterBlankLine = line.length === 0;
    if (hasFromPrefix && FROM_LINE.test(line.toString('latin1', 0, 500))) {
      endMessage();
      isInMessage = true;
      firstLine = number;
      return;
    }
    if (!isInMessage) return;
    // mbox escapes "From " at the beginning of a line as ">From ", and ">From " as ">>From ".
    const isQuoted = !isSingle && line[0] === GREATER_THAN && /^>+From /u.test(line.toString('latin1', 0, 100));
    const content = isQuoted ? line.subarray(1) : line;
    size += content.length + 1;
    if (bufferedBytes > MAX_MESSAGE_BYTES || problem !== undefined) return;
    bufferedBytes += content.length + 1;
    if (content[0] === HYPHEN && content[1] === HYPHEN) boundaryLines += 1;
    if (content.length < SHORT_LINE_BYTES) shortLines += 1;
    if (boundaryLines > MAX_BOUNDARY_LINES) problem = 'this message has too many parts';
    else if (shortLines > MAX_SHORT_LINES) problem = 'this message has too many short lines';
    if (problem !== undefined) {
      chunks = [];
      return;
    }
    chunks.push(Buffer.from(content), LINE_END);
  });

  const parsePending = async (): Promise<void> => {
    const messages = pendingMessages;
    pendingMessages = [];
    for (const message of messages) await parseMessage(sink, message);
  };

  return {
    async push(chunk) {
      lines.push(chunk);
      await parsePending();
    },
    async end() {
      lines.end();
      endMessage();
      await parsePending();
    },
  };
};

export const isMailbox = (head: string): boolean =>
  FROM_LINE.test(head.slice(0, 500)) && /^[\w-]+:/mu.test(head.slice(0, 4000));
export const isMessage = (name: string, head: string): boolean =>
  /\.eml$/iu.test(name) &&
  /^(?:from|date|subject|received|return-path|message-id|mime-version|delivered-to):/imu.test(head.slice(0, 4000));
