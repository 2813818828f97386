import type { Sentences } from './sentences.ts';

export const nl: Sentences = {
  ofPerson: {
    commits:
      'Commits op de standaardbranch van repository’s die geen forks zijn, per auteur; elke commit telt één keer per persoon.',
    issues: 'Issues die het account heeft geopend.',
    pull_requests: 'Pull requests die het account heeft geopend.',
    reviews: 'Reviews van pull requests die het account heeft ingediend.',
    stars: 'Sterren van repository’s van het account, zonder forks.',
    contributed_to: 'Repository’s met minstens één commit, issue, pull request of review van het account.',
    issues_closed: 'Issues die het account heeft geopend en die gesloten zijn.',
    pull_requests_merged: 'Pull requests die het account heeft geopend en die gemerged zijn.',
    discussions: 'Discussies die het account is begonnen.',
    discussions_answered: 'Reacties van het account die als antwoord op een discussie zijn gekozen.',
  },
  ofAll: {
    commits: 'Commits op de standaardbranch van repository’s die geen forks zijn, elk één keer.',
    issues: 'Issues van de repository’s, van alle mensen.',
    pull_requests: 'Pull requests van de repository’s, van alle mensen.',
    reviews: 'Reviews van pull requests van de repository’s, van alle mensen.',
    stars: 'Sterren van de repository’s, zonder forks.',
    contributed_to: 'Repository’s van het account met minstens één commit, issue, pull request of review.',
    issues_closed: 'Gesloten issues van de repository’s, van alle mensen.',
    pull_requests_merged: 'Gemergede pull requests van de repository’s, van alle mensen.',
    discussions: 'Discussies van de repository’s, van alle mensen.',
    discussions_answered: 'Discussies van de repository’s met een gekozen antwoord.',
  },
  coAuthored: 'Dezelfde commits, voor elke persoon die een regel “Co-authored-by” noemt.',
  contributions: 'Commits, issues, pull requests, reviews en discussies van de persoon.',
  experience: 'De som van de tien tellers over alle tijd; elke teller vermeldt zijn items.',
  level: '0 zonder ervaring, 1 vanaf de eerste bijdrage; niveau n + 1 begint bij een ervaring van 100·n².',
  days: 'Voor accounts op GitHub de telling van GitHub; anders de commits, issues, pull requests, reviews en discussies van de dag (UTC), van een organisatie die van alle mensen.',
  languages:
    'Bestanden die de commits van het account wijzigen, naar extensie en naam; merges tellen niet. Elke taal vermeldt haar commits.',
  points: 'De som van de punten volgens de regels van de ranglijst en van toegekende punten.',
  change:
    'Plaatsen gewonnen sinds de laatste dag met een ranglijst; in een afgesloten seizoen sinds het seizoen ervoor.',
  holders: 'Mensen die iedereen mag zien en die de prestatie nu hebben.',
  progress: 'Wat de voorwaarde van de prestatie voor het account telt, en het aantal waarbij die wordt behaald.',
};
