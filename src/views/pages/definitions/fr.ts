import type { Sentences } from './sentences.ts';

export const fr: Sentences = {
  ofPerson: {
    commits:
      'Commits de la branche par défaut des dépôts qui ne sont pas des forks, par auteur ; chaque commit compte une fois pour chaque personne.',
    issues: 'Tickets ouverts par le compte.',
    pull_requests: 'Pull requests ouvertes par le compte.',
    reviews: 'Revues de pull requests envoyées par le compte.',
    stars: 'Étoiles des dépôts du compte, hors forks.',
    contributed_to: 'Dépôts ayant au moins un commit, un ticket, une pull request ou une revue du compte.',
    issues_closed: 'Tickets ouverts par le compte et désormais fermés.',
    pull_requests_merged: 'Pull requests ouvertes par le compte et fusionnées.',
    discussions: 'Discussions lancées par le compte.',
    discussions_answered: 'Commentaires du compte acceptés comme réponse à une discussion.',
  },
  ofAll: {
    commits: 'Commits de la branche par défaut des dépôts qui ne sont pas des forks, chacun une fois.',
    issues: 'Tickets des dépôts, par tout le monde.',
    pull_requests: 'Pull requests des dépôts, par tout le monde.',
    reviews: 'Revues des pull requests des dépôts, par tout le monde.',
    stars: 'Étoiles des dépôts, hors forks.',
    contributed_to: 'Dépôts du compte ayant au moins un commit, un ticket, une pull request ou une revue.',
    issues_closed: 'Tickets fermés des dépôts, par tout le monde.',
    pull_requests_merged: 'Pull requests fusionnées des dépôts, par tout le monde.',
    discussions: 'Discussions des dépôts, par tout le monde.',
    discussions_answered: 'Discussions des dépôts ayant une réponse acceptée.',
  },
  coAuthored: 'Les mêmes commits, pour chaque personne nommée par une ligne « Co-authored-by ».',
  contributions: 'Commits, tickets, pull requests, revues et discussions de la personne.',
  experience: 'La somme des dix compteurs depuis toujours ; chacun énumère ses éléments.',
  level: '0 sans expérience, 1 dès la première contribution ; le niveau n + 1 commence à une expérience de 100·n².',
  days: 'Pour les comptes de GitHub, le décompte de GitHub ; sinon les commits, tickets, pull requests, revues et discussions du jour (UTC), ceux de tout le monde pour une organisation.',
  languages:
    'Fichiers modifiés par les commits du compte, selon leur extension et leur nom ; les fusions ne comptent pas. Chaque langage énumère ses commits.',
  points: 'La somme des points donnés par les règles du classement et des points accordés.',
  change: 'Places gagnées depuis le dernier jour classé ; pour une saison close, depuis la saison précédente.',
  holders: 'Personnes visibles de tous qui possèdent actuellement ce succès.',
  progress: 'Ce que la condition du succès prend en compte, et le nombre à partir duquel il est obtenu.',
};
