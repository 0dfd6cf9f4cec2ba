import { describe, expect, it } from 'vitest';
import type { DesktopStatus } from '../../server/wire/desktop.ts';
import { buildFailureText } from './failure-text-rules.ts';
import { aStatus, EXPOSURE_STATES } from './desktop-status.test-support.ts';
import type { ServerState } from '../server/process.ts';
import { buildTrayContent, type TrayContent } from './tray-rules.ts';
import type { UpdateState } from '../updates/update-flow.ts';

const RUNNING: ServerState = {
  kind: 'running',
  address: 'http://127.0.0.1:1',
  openUrl: 'http://127.0.0.1:1/#/setup?code=secret',
  pid: 1,
};
const contentFor = (status: Partial<DesktopStatus> | null): TrayContent =>
  buildTrayContent(RUNNING, status === null ? null : aStatus(status), false);
const textLines = ({ items }: TrayContent): string[] =>
  items.flatMap((item) => (item.kind === 'text' ? [item.label] : []));
const commandsOf = ({ items }: TrayContent): string[] =>
  items.flatMap((item) => (item.kind === 'command' ? [item.command] : []));
const publicAddress = 'https://ada.pda.example';

describe('the tray', () => {
  it('shows pending requests first, then reachability, then paused functions', () => {
    const content = contentFor({
      requestsWaiting: 2,
      exposure: { state: 'reachable', address: publicAddress, readableBy: null },
      functionsPaused: true,
    });
    expect(textLines(content)).toEqual(['2 requests waiting', 'Public at ada.pda.example', 'Functions paused']);
    expect(content.tooltip).toBe(
      'Personal Data Account: 2 requests waiting, Public at ada.pda.example, Functions paused',
    );
    expect(commandsOf(content)).toEqual([
      'open',
      'requests',
      'go-dark',
      'resume-functions',
      'launch-at-login',
      'update',
      'quit',
    ]);
  });

  it('shows backup problems after requests, with a command', () => {
    expect(textLines(contentFor({ requestsWaiting: 1, backup: 'old' }))).toEqual([
      '1 request waiting',
      'A backup is overdue',
      'Private: reachable only from this computer',
    ]);
    for (const backup of ['never', 'old', 'damaged'] as const) {
      const content = contentFor({ backup });
      expect(content.tooltip).toContain('backup');
      expect(commandsOf(content).slice(0, 2)).toEqual(['open', 'backups']);
    }
    for (const backup of ['none', 'well'] as const) {
      expect(JSON.stringify(contentFor({ backup }))).not.toContain('backup');
    }
  });

  it.each(EXPOSURE_STATES)('has a distinct text for the exposure %s; `unproven` may equal `reachable`', (state) => {
    const otherStates = EXPOSURE_STATES.filter(
      (otherState) =>
        otherState !== state &&
        !(state === 'unproven' && otherState === 'reachable') &&
        !(state === 'reachable' && otherState === 'unproven'),
    );
    const readerIn = (exposureState: string): string | null => (exposureState === 'readable' ? 'lt.example' : null);
    const [line] = textLines(contentFor({ exposure: { state, address: publicAddress, readableBy: readerIn(state) } }));
    for (const otherState of otherStates)
      expect(
        textLines(
          contentFor({ exposure: { state: otherState, address: publicAddress, readableBy: readerIn(otherState) } }),
        )[0],
      ).not.toBe(line);
  });

  it('offers to go dark if public, and to accept visitors if dark', () => {
    const commands = (state: DesktopStatus['exposure']['state']): string[] =>
      commandsOf(contentFor({ exposure: { state, address: publicAddress, readableBy: null } })).filter((command) =>
        command.startsWith('go-'),
      );
    expect(commands('off')).toEqual([]);
    expect(commands('reachable')).toEqual(['go-dark']);
    expect(commands('connecting')).toEqual(['go-dark']);
    expect(commands('dark')).toEqual(['go-light']);
  });

  it('names a host that can read the traffic', () => {
    const exposureLine = (state: DesktopStatus['exposure']['state'], address: string | null): string | undefined =>
      textLines(contentFor({ exposure: { state, address, readableBy: 'lt.example' } }))[0];
    for (const state of ['readable', 'unproven'] as const)
      expect(exposureLine(state, 'https://ada.lt.example')).toBe('Readable by lt.example: public at ada.lt.example');
    expect(exposureLine('connecting', null)).toBe('Offline: connecting to lt.example');
    expect(exposureLine('refused', null)).toBe('Offline: lt.example refused the name of this PDA');
  });

  it('shows that the PDA is running before its first status arrives', () => {
    expect(textLines(contentFor(null))).toEqual(['Running on this computer']);
  });

  it('shows why the server is down, when it restarts, and a retry command', () => {
    const waitingState: ServerState = {
      kind: 'waiting',
      reason: 'it exited with code 3',
      restartInMs: 3_800,
      lastLines: [],
    };
    const content = buildTrayContent(waitingState, null, null);
    expect(textLines(content)).toEqual(['The server stopped: it exited with code 3. Restarting in 4 seconds']);
    expect(commandsOf(content)).toEqual(['open', 'try-again', 'update', 'quit']);
    expect(textLines(buildTrayContent({ ...waitingState, restartInMs: 250 }, null, null))[0]).toContain('in 1 second');
    expect(textLines(buildTrayContent({ kind: 'failed', reason: 'x', lastLines: [] }, null, null))).toEqual([
      'The server is not running: x',
    ]);
    for (const kind of ['starting', 'stopping'] as const)
      expect(commandsOf(buildTrayContent({ kind }, null, null))).toEqual(['open', 'update', 'quit']);
  });

  it('shows the progress of an update, without offering to start the server', () => {
    const content = (update: UpdateState): TrayContent => buildTrayContent({ kind: 'stopped' }, null, null, update);
    const version = '1.2.3';
    expect(commandsOf(content({ kind: 'up-to-date' }))).toEqual(['open', 'try-again', 'update', 'quit']);
    expect(textLines(content({ kind: 'checking' }))).toContain('Checking for updates');
    expect(textLines(content({ kind: 'downloading', version }))).toContain('Downloading version 1.2.3');
    expect(content({ kind: 'ready', version }).items).toContainEqual({
      kind: 'command',
      command: 'update',
      label: 'Install version 1.2.3…',
    });
    for (const kind of ['preparing', 'installing'] as const) {
      expect(textLines(content({ kind, version }))).toEqual([
        'Stopped for the update to version 1.2.3',
        'Installing version 1.2.3',
      ]);
      expect(commandsOf(content({ kind, version }))).toEqual(['open', 'quit']);
    }
  });

  it('never shows the set-up code and limits the length of its texts', () => {
    expect(JSON.stringify(contentFor(null))).not.toContain('secret');
    const reason = 'x'.repeat(1_000);
    const content = buildTrayContent({ kind: 'failed', reason, lastLines: [] }, null, null);
    expect(content.tooltip.length).toBeLessThanOrEqual(120);
    expect(textLines(content)[0]?.length).toBeLessThanOrEqual(100);
  });
});

describe('buildFailureText', () => {
  it('explains the failure, says that the data is safe, and shows the last log messages', () => {
    const { title, paragraphs, logLines } = buildFailureText({
      kind: 'failed',
      reason: 'it exited with code 1',
      lastLines: ['{"level":30,"msg":"opening"}', 'Error: plain', '{"broken'],
    });
    expect(title).toBe('Your PDA is not running');
    expect(paragraphs[0]).toContain('it exited with code 1. All saved data is safe.');
    expect(logLines).toEqual(['opening', 'Error: plain', '{"broken']);
  });

  it('explains a home that is in use', () => {
    const { paragraphs, logLines } = buildFailureText({
      kind: 'failed',
      reason: 'Another process is using /home/ada/pda. Stop it first, or use its dashboard',
      lastLines: ['Another process is using /home/ada/pda.'],
      problem: 'in_use',
    });
    expect(paragraphs[0]).toBe('Another process is using /home/ada/pda. Stop it first, or use its dashboard.');
    expect(paragraphs[1]).toContain('command line');
    expect(logLines).toEqual([]);
  });

  it('returns at most 12 log lines', () => {
    const lastLines = Array.from({ length: 50 }, (_, line) => `line ${line}`);
    const { logLines } = buildFailureText({ kind: 'failed', reason: 'x', lastLines });
    expect(logLines).toHaveLength(12);
    expect(logLines.at(-1)).toBe('line 49');
  });
});
