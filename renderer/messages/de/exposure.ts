import { bytes, count, number } from '../../format.ts';
import type { exposure as en } from '../en/exposure.ts';
import type { Localised } from '../localised.ts';

/** Settings → Address and exposure. */
export const exposure = {
  pageTitle: 'Adresse und Erreichbarkeit',
  lead: 'Was von außen erreichbar ist, unter welcher Adresse, und wie das sofort endet.',
  now: 'Gerade jetzt',
  address: {
    label: 'Adresse',
    copy: 'Adresse kopieren',
    open: 'Öffnen',
    phone: 'Auf einem Telefon öffnen',
    phoneTitle: 'Dein PDA auf einem Telefon öffnen',
    phoneText:
      'Richte die Kamera des Telefons auf dieses Bild, öffne die Adresse, die es zeigt, und melde dich dort an.',
    phoneNotYet: 'Die Adresse antwortet gerade nicht. Das Telefon kann sie öffnen, sobald sie es tut.',
    code: (address: string) => `QR-Code der Adresse ${address}`,
    close: 'Schließen',
  },
  states: {
    off: {
      title: 'Nur dieser Computer erreicht dein PDA',
      means:
        'Es hat keine öffentliche Adresse: Niemand draußen kann es öffnen, und Organisationen können nicht lesen, was du erlaubt hast.',
      todo: 'Wenn du eine willst, wähle unten einen Weg.',
    },
    dark: {
      title: 'Dein PDA ist abgeschirmt',
      means:
        'Niemand draußen kann es erreichen. Auf diesem Computer funktioniert es wie immer, und was du anderen erlaubt hast, wartet.',
      todo: '',
    },
    connecting: {
      title: 'Auf dem Weg zum Relay',
      means: 'Noch kann niemand draußen dein PDA erreichen.',
      todo: 'Es versucht es von selbst weiter.',
    },
    certificate: {
      title: 'Das Zertifikat fehlt noch',
      means:
        'Niemand draußen kann dein PDA erreichen, bis es das Zertifikat hat, an dem Besucher erkennen, dass es deines ist. Bis dahin geht nichts ungeschützt hinaus.',
      todo: 'Das dauert ein, zwei Minuten und geht von selbst weiter.',
    },
    terms: {
      title: 'Die Bedingungen der Zertifizierungsstelle warten auf dich',
      means:
        'Das Zertifikat, an dem Besucher erkennen, dass es dein PDA ist, kommt von einer Stelle mit eigenen Bedingungen. Sie wird um nichts gebeten, bevor du zustimmst, und bis dahin kann niemand draußen dein PDA erreichen.',
      todo: '',
    },
    unproven: {
      title: 'Bereit, und noch nicht von außen geprüft',
      means: 'Jeder kann dein PDA unter dieser Adresse erreichen, wenn der Weg dorthin hält.',
      todo: 'Prüfe es von außen, um es zu wissen.',
    },
    reachable: {
      title: 'Jeder kann dein PDA unter dieser Adresse erreichen',
      means: 'Wer sie öffnet, findet die Anmeldeseite, und dahinter nur, was du gegeben hast.',
      todo: '',
    },
    unreachable: {
      title: 'Unter deiner Adresse antwortet niemand',
      means: 'Die letzte Prüfung von außen kam nicht bis zu deinem PDA. Auf diesem Computer funktioniert es wie immer.',
      todo: 'Sieh nach, ob dieser Computer mit dem Internet verbunden ist. Dein PDA versucht es von selbst wieder.',
    },
    refused: {
      title: 'Das Relay gibt deinem PDA diesen Namen nicht',
      means:
        'Niemand draußen kann es erreichen. Der Name gehört dort einem anderen PDA, oder das Relay lässt dieses nicht ein.',
      todo: 'Frag, wer das Relay betreibt, oder nimm unten ein anderes.',
    },
    impostor: {
      title: 'Unter deiner Adresse antwortet jemand anderes',
      means:
        'Wer sie öffnete, traf auf einen Fremden. Dein PDA hat sich nach außen verschlossen und lässt nichts herein.',
      todo: 'Melde dich unter dieser Adresse nicht an, und sag es denen, die sie benutzen. Frag, wer das Relay oder die Domain betreibt, oder nimm unten einen anderen Weg.',
    },
  },
  own: {
    unreachable:
      'Sieh nach, ob dieser Computer mit dem Internet verbunden ist und ob die Adresse noch zu ihm führt. Dein PDA versucht es von selbst wieder.',
    impostor:
      'Melde dich unter dieser Adresse nicht an, und sag es denen, die sie benutzen. Sieh nach, wohin die Adresse führt: an deinem Router, deinem Proxy oder bei dem, der die Domain betreibt.',
  },
  since: 'seit',
  next: 'Nächster Versuch',
  tries: (n: number) => `${count(n, 'Versuch', 'Versuche')} bisher`,
  said: 'Warum',
  visitors: (n: number) =>
    n === 0
      ? 'Jetzt ist keine Verbindung von außen offen.'
      : `${count(n, 'Verbindung', 'Verbindungen')} von außen jetzt offen.`,
  dark: {
    go: 'Abschirmen',
    goText:
      'Schließt sofort jede Verbindung von außen und nimmt keine neue an. Du kannst Besucher jederzeit wieder hereinlassen.',
    light: 'Besucher wieder hereinlassen',
    lightText: 'Deine Adresse, und was du anderen gegeben hast, funktionieren wieder wie zuvor.',
    proof: 'Bewiesen: Ein Versuch von außen kam nicht durch',
    proofFailed: 'Ein Versuch von außen kam noch durch',
    proofFailedText:
      'Dein PDA soll abgeschirmt sein und hat doch geantwortet. Trenne diesen Computer vom Internet, um sicher zu sein, und sieh dann nach, was zu ihm weiterleitet.',
    tried: 'Versucht',
    took: (ms: number) => `nach ${number(ms)} ms`,
    noProof: 'Es ließ sich nicht von außen prüfen.',
    done: 'Dein PDA ist abgeschirmt',
    lit: 'Besucher werden wieder hereingelassen',
    outside: {
      title: 'Von außen abschirmen',
      text: 'Du bist selbst über die öffentliche Adresse hier. Das Abschirmen sperrt auch dich aus: Nur an dem Computer, auf dem dein PDA läuft, kannst du Besucher wieder hereinlassen.',
      keep: 'Erreichbar bleiben',
      gone: 'Du bist jetzt ausgesperrt',
      goneText:
        'Dein PDA antwortet hier nicht mehr, wie du es wolltest. Öffne es an seinem eigenen Computer, um Besucher wieder hereinzulassen.',
    },
  },
  open: {
    title: 'Was jemand draußen benutzen könnte',
    text: 'Unter dieser Adresse, gerade jetzt.',
    notNow: 'Im Moment niemand. Das wäre offen, sobald eine Adresse funktioniert.',
    everybody: 'Die Anmeldeseite und der Name deines PDA',
    everybodyText: 'offen für alle, die die Adresse kennen',
    publicFiles: (n: number) => count(n, 'öffentliche Datei', 'öffentliche Dateien'),
    publicFilesText: (size: number) => `${bytes(size)}, offen für alle mit dem Link, ohne Anmeldung`,
    sharedFiles: (n: number) => `${count(n, 'Datei', 'Dateien')} für Personen freigegeben`,
    sharedFilesText: 'jede für die, denen du sie gegeben hast',
    people: (n: number) => `${count(n, 'Person', 'Personen')} mit eigenem Passwort`,
    peopleText: 'können sich von überall anmelden',
    sessions: (n: number) => `${count(n, 'andere Anmeldung', 'andere Anmeldungen')} von dir`,
    sessionsText: 'wer das Gerät hat, kann alles, was du kannst',
    applications: (n: number) => `${count(n, 'Anwendung', 'Anwendungen')} mit gültigem Schlüssel`,
    applicationsText: 'jede im Rahmen der Rechte, die du erlaubt hast',
    debits: (n: number) => count(n, 'laufende Datenfreigabe', 'laufende Datenfreigaben'),
    debitsText: 'ganze Antworten für die, die gefragt haben, immer wieder, bis jede endet',
    contracts: (n: number) => count(n, 'Vertrag', 'Verträge'),
    contractsText: 'ihre Dienste lesen und schreiben in diesem Rahmen',
    profile: (n: number) => `${count(n, 'Teil', 'Teile')} deines Profils`,
    profileText: 'offen für alle, die die Adresse haben, ohne Anmeldung',
    look: 'Ansehen',
    lookAt: (what: string) => `Ansehen: ${what}`,
    nothing: (kinds: string) => `Nicht offen: ${kinds}.`,
    kinds: {
      publicFiles: 'öffentliche Dateien',
      sharedFiles: 'Dateien für Personen',
      people: 'Personen',
      sessions: 'andere Anmeldungen von dir',
      applications: 'Anwendungen',
      debits: 'Datenfreigaben',
      contracts: 'Verträge',
      profile: 'dein Profil',
    },
  },
  probe: {
    title: 'Letzte Prüfung von außen',
    text: 'Dein PDA ruft seine eigene Adresse auf, wie es ein Fremder täte, und sieht nach, ob es selbst antwortet.',
    now: 'Jetzt prüfen',
    never: 'Noch nicht geprüft.',
    at: 'Geprüft',
    result: 'Ergebnis',
    reached: (ms: number) => `Dein PDA hat in ${number(ms)} ms geantwortet`,
    missed: 'Dein PDA hat nicht geantwortet',
    instead: 'Was stattdessen geschah',
    reachedNow: 'Es hat geantwortet',
    missedNow: 'Es wurde nicht erreicht',
  },
  certificate: {
    title: 'Zertifikat',
    text: 'Daran erkennt ein Browser, dass er mit deinem PDA spricht und mit niemandem dazwischen. Sein Schlüssel verlässt diesen Computer nie.',
    stands: 'Wie es steht',
    states: {
      none: 'Noch nicht beantragt',
      asking: 'Wird beantragt. Das dauert ein, zwei Minuten.',
      good: 'Gültig',
      renewing: 'Gültig. Ein neues wird beantragt, wie es sein soll.',
      expired: 'Abgelaufen. Browser verweigern deine Adresse, bis es ein neues gibt.',
      notYet: 'Nach der Uhr dieses Computers noch nicht gültig. Sieh nach, ob Datum und Uhrzeit stimmen.',
      untrusted: 'Ihm wird nicht mehr vertraut. Browser verweigern deine Adresse, bis es ein anderes gibt.',
      failed: 'Abgelehnt. Ohne eines kann niemand draußen dein PDA erreichen.',
    },
    issuer: 'Ausgestellt von',
    from: 'Gültig ab',
    until: 'Gültig bis',
    problem: 'Warum',
    nextTry: 'Nächster Versuch',
    plain: 'Diese Adresse führt nur zu diesem Computer, deshalb gibt es keines.',
  },
  way: {
    title: 'Der Weg zu deinem PDA',
    fixed: 'Das steht in config.json oder auf der Befehlszeile und wird deshalb dort geändert.',
    is: {
      none: 'Keine öffentliche Adresse',
      tunnel: 'Ein Name bei einem Relay',
      own: 'Eine Adresse, die du ohnehin hast',
    },
    relay: 'Relay',
    name: 'Name dort',
    domain: 'Domain',
    address: 'Adresse',
    proxy: 'Proxy',
    pointProxy: (url: string) => `Richte deinen Proxy auf ${url}`,
    localAccess: (url: string | null) =>
      `Besucher deiner Adresse können sich ausgeben, als säßen sie an diesem Computer: ohne zweiten Faktor und auch dann, wenn du niemanden hereinlässt. Dein Proxy führt zum falschen Port. Richte ihn auf ${url ?? 'den hier genannten Port'} und nirgendwohin sonst.`,
    kind: 'Weg',
    change: 'Den Weg ändern',
    choose: 'Einen Weg wählen',
    choice: 'Wie dein PDA erreicht wird',
    none: {
      label: 'Keine öffentliche Adresse',
      text: 'Nur dieser Computer erreicht dein PDA.',
      points: [
        'Niemand draußen kann es öffnen: kein Telefon, keine Personen, denen du Dateien gegeben hast, keine Anwendungen anderswo.',
        'Organisationen können nicht lesen, was du erlaubt hast, bis es wieder eine Adresse gibt.',
      ],
      submit: 'Nach außen verschließen',
    },
    tunnel: {
      label: 'Ein Name bei einem Relay',
      text: 'Für einen Computer zu Hause oder unterwegs. Am Router ist nichts einzustellen.',
      points: (address: string) => [
        `Jeder im Internet kann unter ${address} die Anmeldeseite öffnen, solange dieser Computer an ist.`,
        'Das Relay reicht weiter, was es nicht lesen kann. Es sieht, wer sich verbindet, wann, und wie viel.',
        'Die Adresse wird öffentlich: Jedes Zertifikat steht in Listen, in die jeder sehen kann, mit deinem Namen darin.',
      ],
      local: (address: string) => [
        `Nur Programme auf diesem Computer können ${address} öffnen.`,
        'Auf dem Weg ist nichts verschlüsselt, weil er diesen Computer nicht verlässt.',
      ],
      yourAddress: 'deiner Adresse',
      relay: 'Adresse des Relays',
      relayHint: 'Die Adresse nennt dir, wer es betreibt.',
      domain: 'Domain seiner Namen',
      domainHint: (name: string, domain: string) => `Deine Adresse ist dann ${name}.${domain}`,
      domainExample: 'pda.example',
      relayMissing: 'Schreibe zuerst die Adresse des Relays.',
      relayBad: 'Das ist keine Adresse. Sie beginnt mit https://',
      domainMissing: 'Schreibe zuerst die Domain.',
      domainBad: 'Das ist keine Domain. Sie sieht aus wie pda.example',
      agree: 'Ich stimme den Bedingungen der Stelle zu, die das Zertifikat ausstellt',
      agreeNow: 'Ich stimme diesen Bedingungen zu',
      agreed: 'Das Zertifikat wird jetzt beantragt',
      noTerms: 'Sie hat nicht gesagt, wo ihre Bedingungen zu lesen sind.',
      termsLater:
        'Die Stelle, die das Zertifikat ausstellt, hat Bedingungen. Dein PDA holt sie zuerst und fragt dich dann, ob du zustimmst.',
      terms: 'Bedingungen lesen',
      agreeMissing: 'Ohne das lässt sich kein Zertifikat beantragen.',
      submit: 'Diesen Namen beantragen',
    },
    own: {
      label: 'Eine Adresse, die ich ohnehin habe',
      text: 'Ein Router, ein Proxy oder eine Domain von dir führt zu diesem Computer.',
      points: [
        'Jeder im Internet kann unter dieser Adresse die Anmeldeseite öffnen, solange dieser Computer an ist.',
        'Was hierher führt, muss den Weg selbst schützen: Für diese Adresse bekommt dein PDA kein Zertifikat.',
        'Was dazwischen steht, etwa ein Proxy, kann lesen, was hindurchgeht.',
      ],
      address: 'Deine Adresse',
      hint: 'Wie andere sie öffnen, zum Beispiel https://ada.example.org',
      missing: 'Schreibe zuerst die Adresse.',
      bad: 'Das ist keine Adresse. Sie beginnt mit https://',
      plain:
        'Diese Adresse beginnt mit http: Jeder auf dem Weg kann lesen, was hindurchgeht, auch dein Passwort, und es ändern.',
      submit: 'Diese Adresse nehmen',
    },
    meansTitle: 'Was das heißt',
    outside: 'Du bist selbst über die öffentliche Adresse hier: Mit einer Änderung verlierst du diese Seite.',
    saved: {
      none: 'Dein PDA hat jetzt keine öffentliche Adresse',
      tunnel: 'Dein PDA bittet das Relay um seinen Namen',
      own: 'Dein PDA hat jetzt diese Adresse',
    },
  },
  home: {
    dark: 'Privat: Dein PDA ist abgeschirmt. Niemand draußen kann es erreichen.',
    private: (address: string) => `Privat: Dein PDA läuft unter ${address}, und nur dieser Computer erreicht es.`,
    reachable: (address: string) => `Erreichbar unter ${address}.`,
    connecting: 'Im Moment privat: Dein PDA ist auf dem Weg zu seiner öffentlichen Adresse.',
    certificate: 'Das Zertifikat deiner Adresse ist nicht gültig',
  },
} satisfies Localised<typeof en>;
