import type { Sentences } from './sentences.ts';

export const cs: Sentences = {
  ofPerson: {
    commits:
      'Commity ve výchozí větvi repozitářů, které nejsou forky, podle autora; každý commit se každé osobě počítá jednou.',
    issues: 'Issues, které účet otevřel.',
    pull_requests: 'Pull requesty, které účet otevřel.',
    reviews: 'Revize pull requestů, které účet odeslal.',
    stars: 'Hvězdy repozitářů účtu, bez forků.',
    contributed_to: 'Repozitáře s alespoň jedním commitem, issue, pull requestem nebo revizí účtu.',
    issues_closed: 'Issues, které účet otevřel a které jsou uzavřené.',
    pull_requests_merged: 'Pull requesty, které účet otevřel a které jsou sloučené.',
    discussions: 'Diskuse, které účet zahájil.',
    discussions_answered: 'Komentáře účtu přijaté jako odpověď v diskusi.',
  },
  ofAll: {
    commits: 'Commity ve výchozí větvi repozitářů, které nejsou forky, každý jednou.',
    issues: 'Issues v repozitářích, od všech lidí.',
    pull_requests: 'Pull requesty v repozitářích, od všech lidí.',
    reviews: 'Revize pull requestů v repozitářích, od všech lidí.',
    stars: 'Hvězdy repozitářů, bez forků.',
    contributed_to: 'Repozitáře účtu s alespoň jedním commitem, issue, pull requestem nebo revizí.',
    issues_closed: 'Uzavřené issues v repozitářích, od všech lidí.',
    pull_requests_merged: 'Sloučené pull requesty v repozitářích, od všech lidí.',
    discussions: 'Diskuse v repozitářích, od všech lidí.',
    discussions_answered: 'Diskuse v repozitářích s přijatou odpovědí.',
  },
  coAuthored: 'Tytéž commity, pro každou osobu, kterou uvádí řádek „Co-authored-by“.',
  contributions: 'Commity, issues, pull requesty, revize a diskuse dané osoby.',
  experience: 'Součet deseti počítadel od začátku; každé uvádí své položky.',
  level: '0 bez zkušeností, 1 od prvního příspěvku; úroveň n + 1 začíná na zkušenosti 100·n².',
  days: 'U účtů na GitHubu podle GitHubu; jinak commity, issues, pull requesty, revize a diskuse daného dne (UTC), u organizace od všech lidí.',
  languages:
    'Soubory změněné commity účtu, podle přípony a názvu; sloučení se nepočítají. Každý jazyk uvádí své commity.',
  points: 'Součet bodů podle pravidel žebříčku a bodů přidělených.',
  change: 'Místa získaná od posledního dne s pořadím; v uzavřené sezóně od předchozí sezóny.',
  holders: 'Lidé, které smí vidět všichni a kteří úspěch právě mají.',
  progress: 'Co podmínka úspěchu účtu započítává, a počet, od kterého jej získá.',
};
