import type { Sentences } from './sentences.ts';

export const sv: Sentences = {
  ofPerson: {
    commits:
      'Commits på standardgrenen i repon som inte är forkar, efter upphovsperson; varje commit räknas en gång per person.',
    issues: 'Ärenden som kontot har öppnat.',
    pull_requests: 'Pull requests som kontot har öppnat.',
    reviews: 'Granskningar av pull requests som kontot har lämnat.',
    stars: 'Stjärnor på kontots repon, utom forkar.',
    contributed_to: 'Repon med minst en commit, ett ärende, en pull request eller en granskning av kontot.',
    issues_closed: 'Ärenden som kontot har öppnat och som är stängda.',
    pull_requests_merged: 'Pull requests som kontot har öppnat och som är sammanfogade.',
    discussions: 'Diskussioner som kontot har startat.',
    discussions_answered: 'Kontots kommentarer som godkänts som svar i en diskussion.',
  },
  ofAll: {
    commits: 'Commits på standardgrenen i repon som inte är forkar, var och en en gång.',
    issues: 'Ärenden i repona, av alla.',
    pull_requests: 'Pull requests i repona, av alla.',
    reviews: 'Granskningar av pull requests i repona, av alla.',
    stars: 'Stjärnor på repona, utom forkar.',
    contributed_to: 'Kontots repon med minst en commit, ett ärende, en pull request eller en granskning.',
    issues_closed: 'Stängda ärenden i repona, av alla.',
    pull_requests_merged: 'Sammanfogade pull requests i repona, av alla.',
    discussions: 'Diskussioner i repona, av alla.',
    discussions_answered: 'Diskussioner i repona med ett godkänt svar.',
  },
  coAuthored: 'Samma commits, för varje person som en rad ”Co-authored-by” nämner.',
  contributions: 'Personens commits, ärenden, pull requests, granskningar och diskussioner.',
  experience: 'Summan av de tio räknarna för all tid; var och en listar sina poster.',
  level: '0 utan erfarenhet, 1 från det första bidraget; nivå n + 1 börjar vid en erfarenhet på 100·n².',
  days: 'För konton på GitHub det som GitHub räknar; annars dagens (UTC) commits, ärenden, pull requests, granskningar och diskussioner, för en organisation allas.',
  languages:
    'Filer som kontots commits ändrar, efter filändelse och namn; sammanfogningar räknas inte. Varje språk listar sina commits.',
  points: 'Summan av poängen enligt topplistans regler och av tilldelade poäng.',
  change: 'Placeringar som vunnits sedan den senaste dagen med en rankning; i en avslutad säsong sedan säsongen före.',
  holders: 'Personer som alla får se och som har prestationen för närvarande.',
  progress: 'Det som prestationens villkor räknar för kontot, och det antal som krävs.',
};
