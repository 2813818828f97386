import type { Sentences } from './sentences.ts';

export const es: Sentences = {
  ofPerson: {
    commits:
      'Commits en la rama predeterminada de repositorios que no son forks, por autor; cada commit cuenta una vez por persona.',
    issues: 'Incidencias que abrió la cuenta.',
    pull_requests: 'Pull requests que abrió la cuenta.',
    reviews: 'Revisiones de pull requests que envió la cuenta.',
    stars: 'Estrellas de los repositorios de la cuenta, sin forks.',
    contributed_to:
      'Repositorios con al menos un commit, una incidencia, una pull request o una revisión de la cuenta.',
    issues_closed: 'Incidencias que abrió la cuenta y que están cerradas.',
    pull_requests_merged: 'Pull requests que abrió la cuenta y que están fusionadas.',
    discussions: 'Debates que inició la cuenta.',
    discussions_answered: 'Comentarios de la cuenta aceptados como respuesta de un debate.',
  },
  ofAll: {
    commits: 'Commits en la rama predeterminada de repositorios que no son forks, cada uno una vez.',
    issues: 'Incidencias de los repositorios, de todas las personas.',
    pull_requests: 'Pull requests de los repositorios, de todas las personas.',
    reviews: 'Revisiones de pull requests de los repositorios, de todas las personas.',
    stars: 'Estrellas de los repositorios, sin forks.',
    contributed_to:
      'Repositorios de la cuenta con al menos un commit, una incidencia, una pull request o una revisión.',
    issues_closed: 'Incidencias cerradas de los repositorios, de todas las personas.',
    pull_requests_merged: 'Pull requests fusionadas de los repositorios, de todas las personas.',
    discussions: 'Debates de los repositorios, de todas las personas.',
    discussions_answered: 'Debates de los repositorios con una respuesta aceptada.',
  },
  coAuthored: 'Los mismos commits, por cada persona que nombra una línea «Co-authored-by».',
  contributions: 'Commits, incidencias, pull requests, revisiones y debates de la persona.',
  experience: 'La suma de los diez contadores desde siempre; cada uno enumera sus elementos.',
  level: '0 sin experiencia, 1 desde la primera contribución; el nivel n + 1 empieza con una experiencia de 100·n².',
  days: 'Para cuentas de GitHub, lo que cuenta GitHub; si no, los commits, incidencias, pull requests, revisiones y debates del día (UTC), y de una organización los de todas las personas.',
  languages:
    'Archivos que cambian los commits de la cuenta, por extensión y nombre; las fusiones no cuentan. Cada lenguaje enumera sus commits.',
  points: 'La suma de los puntos que dan las reglas de la clasificación y de los puntos concedidos.',
  change:
    'Puestos ganados desde el último día con clasificación; en una temporada cerrada, desde la temporada anterior.',
  holders: 'Personas visibles para todos que tienen el logro actualmente.',
  progress: 'Lo que la condición del logro cuenta de la cuenta, y el número a partir del cual se obtiene.',
};
