import type { Sentences } from './sentences.ts';

export const it: Sentences = {
  ofPerson: {
    commits:
      'Commit nel branch predefinito dei repository che non sono fork, per autore; ogni commit conta una volta per persona.',
    issues: 'Issue aperte dall’account.',
    pull_requests: 'Pull request aperte dall’account.',
    reviews: 'Revisioni di pull request inviate dall’account.',
    stars: 'Stelle dei repository dell’account, fork esclusi.',
    contributed_to: 'Repository con almeno un commit, una issue, una pull request o una revisione dell’account.',
    issues_closed: 'Issue aperte dall’account e ora chiuse.',
    pull_requests_merged: 'Pull request aperte dall’account e unite.',
    discussions: 'Discussioni avviate dall’account.',
    discussions_answered: 'Commenti dell’account accettati come risposta a una discussione.',
  },
  ofAll: {
    commits: 'Commit nel branch predefinito dei repository che non sono fork, ciascuno una volta.',
    issues: 'Issue dei repository, di tutte le persone.',
    pull_requests: 'Pull request dei repository, di tutte le persone.',
    reviews: 'Revisioni delle pull request dei repository, di tutte le persone.',
    stars: 'Stelle dei repository, fork esclusi.',
    contributed_to: 'Repository dell’account con almeno un commit, una issue, una pull request o una revisione.',
    issues_closed: 'Issue chiuse dei repository, di tutte le persone.',
    pull_requests_merged: 'Pull request unite dei repository, di tutte le persone.',
    discussions: 'Discussioni dei repository, di tutte le persone.',
    discussions_answered: 'Discussioni dei repository con una risposta accettata.',
  },
  coAuthored: 'Gli stessi commit, per ogni persona indicata da una riga «Co-authored-by».',
  contributions: 'Commit, issue, pull request, revisioni e discussioni della persona.',
  experience: 'La somma dei dieci contatori da sempre; ciascuno elenca le sue voci.',
  level: '0 senza esperienza, 1 dal primo contributo; il livello n + 1 inizia con un’esperienza di 100·n².',
  days: 'Per gli account di GitHub, il conteggio di GitHub; altrimenti commit, issue, pull request, revisioni e discussioni del giorno (UTC), di un’organizzazione quelli di tutte le persone.',
  languages:
    'File modificati dai commit dell’account, per estensione e nome; i merge non contano. Ogni linguaggio elenca i suoi commit.',
  points: 'La somma dei punti dati dalle regole della classifica e di quelli assegnati.',
  change:
    'Posizioni guadagnate dall’ultimo giorno con una classifica; in una stagione conclusa, dalla stagione precedente.',
  holders: 'Persone visibili a tutti che possiedono attualmente il traguardo.',
  progress: 'Ciò che la condizione del traguardo conta per l’account, e il numero da cui lo si ottiene.',
};
