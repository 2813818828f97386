import type { Sentences } from './sentences.ts';

export const de: Sentences = {
  ofPerson: {
    commits:
      'Commits im Standard-Branch von Repositorys, die keine Forks sind, nach Autor; jeder Commit zählt für jede Person einmal.',
    issues: 'Issues, die das Konto eröffnet hat.',
    pull_requests: 'Pull Requests, die das Konto eröffnet hat.',
    reviews: 'Reviews von Pull Requests, die das Konto abgegeben hat.',
    stars: 'Sterne der Repositorys, die dem Konto gehören, ohne Forks.',
    contributed_to: 'Repositorys mit mindestens einem Commit, Issue, Pull Request oder Review des Kontos.',
    issues_closed: 'Issues, die das Konto eröffnet hat und die geschlossen sind.',
    pull_requests_merged: 'Pull Requests, die das Konto eröffnet hat und die gemergt sind.',
    discussions: 'Diskussionen, die das Konto begonnen hat.',
    discussions_answered: 'Kommentare des Kontos, die als Antwort einer Diskussion angenommen wurden.',
  },
  ofAll: {
    commits: 'Commits im Standard-Branch von Repositorys, die keine Forks sind, jeder einmal.',
    issues: 'Issues der Repositorys, von allen Personen.',
    pull_requests: 'Pull Requests der Repositorys, von allen Personen.',
    reviews: 'Reviews von Pull Requests der Repositorys, von allen Personen.',
    stars: 'Sterne der Repositorys, ohne Forks.',
    contributed_to: 'Repositorys des Kontos mit mindestens einem Commit, Issue, Pull Request oder Review.',
    issues_closed: 'Geschlossene Issues der Repositorys, von allen Personen.',
    pull_requests_merged: 'Gemergte Pull Requests der Repositorys, von allen Personen.',
    discussions: 'Diskussionen der Repositorys, von allen Personen.',
    discussions_answered: 'Diskussionen der Repositorys mit einer angenommenen Antwort.',
  },
  coAuthored: 'Dieselben Commits, für jede Person, die eine Zeile „Co-authored-by“ nennt.',
  contributions: 'Commits, Issues, Pull Requests, Reviews und Diskussionen der Person.',
  experience: 'Die Summe der zehn Zähler über die gesamte Zeit; jeder führt seine Einträge auf.',
  level: '0 ohne Erfahrung, 1 ab dem ersten Beitrag; Level n + 1 beginnt mit einer Erfahrung von 100·n².',
  days: 'Für Konten auf GitHub die Zählung von GitHub, sonst die Commits, Issues, Pull Requests, Reviews und Diskussionen des Tages (UTC), bei einer Organisation die aller Personen.',
  languages:
    'Dateien, die die Commits des Kontos ändern, nach Endung und Namen; Merges zählen nicht. Jede Sprache führt ihre Commits auf.',
  points: 'Die Summe der Punkte nach den Regeln der Rangliste und der vergebenen Punkte.',
  change:
    'Ränge, die seit dem letzten Tag mit einer Rangliste gewonnen wurden; in einer beendeten Saison seit der Saison davor.',
  holders: 'Personen, die alle sehen dürfen und die die Auszeichnung gegenwärtig haben.',
  progress: 'Was die Bedingung der Auszeichnung für das Konto zählt, und die Zahl, ab der es sie erhält.',
};
