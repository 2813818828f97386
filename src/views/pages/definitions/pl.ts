import type { Sentences } from './sentences.ts';

export const pl: Sentences = {
  ofPerson: {
    commits:
      'Commity w domyślnej gałęzi repozytoriów, które nie są forkami, według autora; każdy commit liczy się raz dla każdej osoby.',
    issues: 'Zgłoszenia otwarte przez konto.',
    pull_requests: 'Pull requesty otwarte przez konto.',
    reviews: 'Recenzje pull requestów wysłane przez konto.',
    stars: 'Gwiazdki repozytoriów konta, bez forków.',
    contributed_to: 'Repozytoria, w których konto ma co najmniej jeden commit, zgłoszenie, pull request lub recenzję.',
    issues_closed: 'Zgłoszenia otwarte przez konto i zamknięte.',
    pull_requests_merged: 'Pull requesty otwarte przez konto i scalone.',
    discussions: 'Dyskusje rozpoczęte przez konto.',
    discussions_answered: 'Komentarze konta przyjęte jako odpowiedź w dyskusji.',
  },
  ofAll: {
    commits: 'Commity w domyślnej gałęzi repozytoriów, które nie są forkami, każdy raz.',
    issues: 'Zgłoszenia w repozytoriach, od wszystkich osób.',
    pull_requests: 'Pull requesty w repozytoriach, od wszystkich osób.',
    reviews: 'Recenzje pull requestów w repozytoriach, od wszystkich osób.',
    stars: 'Gwiazdki repozytoriów, bez forków.',
    contributed_to: 'Repozytoria konta z co najmniej jednym commitem, zgłoszeniem, pull requestem lub recenzją.',
    issues_closed: 'Zamknięte zgłoszenia w repozytoriach, od wszystkich osób.',
    pull_requests_merged: 'Scalone pull requesty w repozytoriach, od wszystkich osób.',
    discussions: 'Dyskusje w repozytoriach, od wszystkich osób.',
    discussions_answered: 'Dyskusje w repozytoriach z przyjętą odpowiedzią.',
  },
  coAuthored: 'Te same commity, dla każdej osoby wymienionej w wierszu „Co-authored-by”.',
  contributions: 'Commity, zgłoszenia, pull requesty, recenzje i dyskusje tej osoby.',
  experience: 'Suma dziesięciu liczników od początku; każdy wymienia swoje pozycje.',
  level: '0 bez doświadczenia, 1 od pierwszego wkładu; poziom n + 1 zaczyna się od doświadczenia 100·n².',
  days: 'Dla kont w GitHub według GitHub; poza tym commity, zgłoszenia, pull requesty, recenzje i dyskusje z danego dnia (UTC), w organizacji od wszystkich osób.',
  languages:
    'Pliki zmienione w commitach konta, według rozszerzenia i nazwy; scalenia się nie liczą. Każdy język wymienia swoje commity.',
  points: 'Suma punktów według zasad rankingu i punktów przyznanych.',
  change: 'Miejsca zyskane od ostatniego dnia z rankingiem; w zamkniętym sezonie od poprzedniego sezonu.',
  holders: 'Osoby widoczne dla wszystkich, które obecnie mają to osiągnięcie.',
  progress: 'Liczba, którą warunek osiągnięcia nalicza kontu, i liczba, od której się je zdobywa.',
};
