import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CHECKOUT } from '../../tests/support/desktop-app.ts';
import { runApp } from '../app.ts';
import { createStandIn, type StandIn } from '../electron.test-support.ts';
import { buildFailureText } from '../ui/failure-text-rules.ts';
import { createNotifications } from '../ui/notifications.ts';
import { aRequest, aStatus, EXPOSURE_STATES, statusWith } from '../ui/desktop-status.test-support.ts';
import { buildStoppedPageUrl } from '../ui/stopped-page.ts';
import { TEXTS, textsFor } from './catalogue.ts';
import { buildTrayContent } from '../ui/tray-rules.ts';
import { decideStart, rollbackNotice } from '../updates/rules.ts';
import { createUpdateFlow } from '../updates/update-flow.ts';

const { en, de } = TEXTS;
const POLL = { interval: 10 };
const folder = mkdtempSync(join(tmpdir(), 'texts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns every text with its path. A function is represented by its source code. */
function textsOf(catalogue: unknown, path = ''): [path: string, text: string][] {
  if (typeof catalogue === 'string') return [[path, catalogue]];
  if (typeof catalogue === 'function') return [[path, String(catalogue)]];
  return Object.entries(catalogue ?? {}).flatMap(([key, value]) =>
    textsOf(value, path === '' ? key : `${path}.${key}`),
  );
}
const removeParameters = (text: string): string =>
  (text.includes('=>') ? [...text.matchAll(/'[^']*'|`[^`]*`/gu)].join(' ') : text).replaceAll(/\$\{[^}]*\}/gu, ' ');

describe('the texts of the app', () => {
  it('are complete in German', () => {
    const english = new Map(textsOf(en));
    const german = new Map(textsOf(de));
    expect([...german.keys()].toSorted()).toEqual([...english.keys()].toSorted());
    expect(english.size).toBeGreaterThan(100);
    const untranslatedPaths = [...english].filter(([path, text]) => text === german.get(path)).map(([path]) => path);
    // The tooltip contains only the product name.
    expect(untranslatedPaths).toEqual(['tray.tooltip']);
    const suspiciousTexts = [...german].filter(([, text]) =>
      /\b(?:the|is|was|not|your|this|of|it)\b|\b(?:Sie|Ihr|Ihre|Ihnen)\b|!/u.test(removeParameters(text)),
    );
    expect(suspiciousTexts).toEqual([]);
  });

  it('exist only in languages whose Electron locale is packaged', () => {
    const builderConfig = readFileSync(join(CHECKOUT.root, 'electron-builder.yml'), 'utf8');
    const packagedLanguages =
      /^electronLanguages:\n((?: .*\n)+)/mu.exec(builderConfig)?.[1]?.matchAll(/^ +- (\S+)$/gmu) ?? [];
    expect([...packagedLanguages].map(([, language]) => language)).toEqual(expect.arrayContaining(Object.keys(TEXTS)));
  });

  it.each([
    [['de-AT', 'en'], 'de'],
    [['fr-FR', 'de', 'en'], 'de'],
    [['en-US', 'de'], 'en'],
    [['DE'], 'de'],
    [['constructor', ''], 'en'],
    [[], 'en'],
  ])('use the first supported language: %j', (languages, language) => {
    expect(textsFor(languages).language).toBe(language);
  });
});

describe('the German catalogue', () => {
  it('translates the status and commands of the tray', () => {
    const runningState = {
      kind: 'running',
      address: 'http://127.0.0.1:1',
      openUrl: 'http://127.0.0.1:1/',
      pid: 1,
    } as const;
    const status = aStatus({
      requestsWaiting: 1_200,
      exposure: { state: 'reachable', address: 'https://ada.pda.example', readableBy: null },
      backup: 'old',
      functionsPaused: true,
    });
    const { tooltip, items } = buildTrayContent(runningState, status, false, { kind: 'ready', version: '1.2.3' }, de);
    expect(items.flatMap((item) => (item.kind === 'separator' ? [] : [item.label]))).toEqual([
      '1.200 Anfragen warten',
      'Eine Sicherung ist überfällig',
      'Öffentlich unter ada.pda.example',
      'Funktionen angehalten',
      'Öffnen',
      'Anfragen ansehen',
      'Sicherungen ansehen',
      'Abschirmen',
      'Funktionen fortsetzen',
      'Starten, wenn ich mich am Computer anmelde',
      'Version 1.2.3 installieren…',
      'Beenden',
    ]);
    expect(tooltip.length).toBeLessThanOrEqual(120);
    for (const state of EXPOSURE_STATES) {
      const exposure = { state, address: 'https://ada.pda.example', readableBy: null };
      const [german, english] = [de, en].map(
        (texts) => buildTrayContent(runningState, aStatus({ exposure }), null, null, texts).items[0],
      );
      expect(german).not.toEqual(english);
    }
  });

  it('translates the buttons of notifications and the report of a failed command', async () => {
    const standIn = createStandIn(folder);
    const notifications = createNotifications({
      electron: standIn.electron,
      platform: 'darwin',
      announcedFile: join(folder, 'announced.json'),
      sendCommand: () => Promise.resolve({ done: false, reason: de.commandErrors.notRunning }),
      open: () => {},
      texts: de,
    });
    notifications.update(statusWith(aRequest('lunch')));
    const buttons = standIn.notifications[0]?.options.actions?.map(({ text }) => text);
    expect(buttons).toEqual(['Ablehnen', 'Erlauben']);
    standIn.notifications[0]?.press('Ablehnen');
    await expect
      .poll(() => standIn.notifications[1]?.options)
      .toMatchObject({
        title: 'Nicht abgelehnt',
        body: 'Dein PDA läuft nicht. Nichts wurde geändert.',
      });
    notifications.update(statusWith(aRequest('c'), aRequest('b'), aRequest('a'), aRequest('lunch')));
    expect(standIn.notifications[2]?.options).toMatchObject({
      title: '4 Anfragen nach deinen Daten',
      body: 'Von „The c“, „The b“, „The a“ und anderen. Nichts wird freigegeben, bevor du entscheidest.',
    });
    notifications.close();
  });

  it('translates the page for a stopped server', () => {
    const page = buildStoppedPageUrl(
      { kind: 'waiting', reason: de.exitReasons.code(3), restartInMs: 3_800, lastLines: ['disk <full>'] },
      de,
    );
    const html = Buffer.from(page.split(',')[1] ?? '', 'base64').toString();
    expect(html).toContain('<html lang="de">');
    for (const text of [
      '<h1>Dein PDA läuft gerade nicht</h1>',
      'Der Server läuft nicht: Er endete mit dem Code 3. Alles Gespeicherte ist noch da.',
      'Er wird in 4 Sekunden wieder gestartet.',
      'Letzte Ausgabe:',
      'disk &lt;full&gt;',
      '>Server jetzt starten</a>',
      '>Beenden</a>',
    ])
      expect(html).toContain(text);
  });

  it('translates server messages by kind and appends the original', () => {
    const reason = de.home.cannotStart('in_use', 'Another process is using /home/ada/pda');
    expect(buildFailureText({ kind: 'failed', reason, lastLines: [], problem: 'in_use' }, de).paragraphs).toEqual([
      'Ein anderes Programm benutzt dein PDA gerade. Meldung auf Englisch: Another process is using /home/ada/pda.',
      expect.stringContaining('Befehlszeile'),
    ]);
    expect(de.commandErrors.refused('wrong_state', 'Nothing was changed.')).toMatch(
      /^Das geht nicht mehr: .*Englisch: Nothing/,
    );
    expect(de.commandErrors.refused('constructor', 'x')).toMatch(/^Das wurde abgelehnt\./);
  });

  it('translates the messages about updates', () => {
    const prepared = { from: '1.2.0', to: '1.3.0', preservedServer: '/kept', copy: 'before' };
    const rollbackDetail = (databaseText: string): string =>
      rollbackNotice(prepared, de.updates.didNotRespond, databaseText, de).detail;
    expect(rollbackDetail('the database was not changed: this version can open it')).toContain(
      'läuft wieder. Die Datenbank wurde nicht verändert, denn diese Version kann sie öffnen. Nichts',
    );
    expect(rollbackDetail('restored the copy; the previous database was saved as /x')).toContain(
      'die vorherige Datenbank liegt in /x.',
    );
    expect(rollbackDetail('something new')).toContain('auf Englisch: something new.');
    expect(decideStart({ phase: 'installing', ...prepared }, '1.2.0', de).notice?.message).toBe(
      'Version 1.3.0 wurde nicht installiert',
    );
    const updates = createUpdateFlow({
      updater: null,
      version: '1.2.0',
      file: { read: () => ({ phase: 'settled' }), write: () => {} },
      running: CHECKOUT,
      home: folder,
      preservedServersFolder: folder,
      copies: { create: () => Promise.resolve(''), restore: () => Promise.resolve('') },
      server: { stop: () => Promise.resolve({ kind: 'was-not-running' }), start: () => {} },
      askOwner: () => Promise.resolve(false),
      texts: de,
    });
    expect(updates.state()).toEqual({ kind: 'unavailable', reason: de.updates.noSource });
    expect(de.updates.notEnoughSpace(1_234_000_000, 5)).toContain('braucht 1.234 MB, frei sind 1 MB');
  });
});

describe('an app on a German system', () => {
  const startApp = (name: string, behaviour: string) => {
    const homeFolder = join(folder, name);
    const standIn: StandIn = createStandIn(homeFolder);
    standIn.app.languages = ['de-AT', 'en-US'];
    const app = runApp({
      electron: standIn.electron,
      installation: CHECKOUT,
      findUpdater: () => Promise.resolve(null),
      askOwner: () => Promise.resolve(false),
      notifyOwner: () => {},
      platform: 'linux',
      env: {},
      argv: ['/opt/pda/app', '--home', homeFolder],
      onLog: () => {},
      command: {
        program: process.execPath,
        args: [join(import.meta.dirname, '../server/fake-server.test-support.js'), 'serve', '--home', homeFolder],
        cwd: folder,
        env: { PATH: process.env['PATH'], FAKE_SERVER_BEHAVIOUR: behaviour, FAKE_SERVER_FOLDER: folder },
      },
    });
    if (app === null) throw new Error('the app did not start');
    const quit = async (): Promise<void> => {
      app.quit();
      await expect.poll(() => standIn.app.hasQuit, POLL).toBe(true);
    };
    return { standIn, quit };
  };

  it('shows status and menu in German and requests German from the server', async () => {
    const { standIn, quit } = startApp('runs', '');
    await expect.poll(() => standIn.trays[0]?.labels(), POLL).toContain('Privat: nur von diesem Computer zu erreichen');
    expect(standIn.menu.map(({ label }) => label)).toEqual(['&Datei', '&Bearbeiten', '&Ansicht', '&Fenster']);
    const items = standIn.menu.flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []));
    expect(items.filter(({ label, type }) => label === undefined && type !== 'separator')).toEqual([]);
    expect(items.map(({ label }) => label)).toContain('Rückgängig');
    const firstMessage = (): unknown =>
      JSON.parse(readFileSync(join(folder, 'messages'), 'utf8').split('\n', 1)[0] ?? '');
    await expect.poll(firstMessage, POLL).toEqual({ type: 'watch', language: 'de' });
    await quit();
  });

  it('shows why the server is not running', async () => {
    const { standIn, quit } = startApp('refuses', 'refuse');
    await expect
      .poll(() => standIn.trays[0]?.labels()[0], POLL)
      .toBe('Der Server läuft nicht: Er endete mit dem Code 2');
    await expect.poll(() => standIn.windows[0]?.webContents.url, POLL).toMatch(/^data:/);
    const page = Buffer.from(standIn.windows[0]?.webContents.url.split(',')[1] ?? '', 'base64').toString();
    expect(page).toContain('<html lang="de">');
    await quit();
  });
});
