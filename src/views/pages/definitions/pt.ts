import type { Sentences } from './sentences.ts';

export const pt: Sentences = {
  ofPerson: {
    commits:
      'Commits na branch padrão de repositórios que não são forks, por autor; cada commit conta uma vez para cada pessoa.',
    issues: 'Issues que a conta abriu.',
    pull_requests: 'Pull requests que a conta abriu.',
    reviews: 'Revisões de pull requests que a conta enviou.',
    stars: 'Estrelas dos repositórios da conta, sem forks.',
    contributed_to: 'Repositórios com pelo menos um commit, uma issue, um pull request ou uma revisão da conta.',
    issues_closed: 'Issues que a conta abriu e que estão fechadas.',
    pull_requests_merged: 'Pull requests que a conta abriu e que foram mesclados.',
    discussions: 'Discussões que a conta iniciou.',
    discussions_answered: 'Comentários da conta aceitos como resposta de uma discussão.',
  },
  ofAll: {
    commits: 'Commits na branch padrão de repositórios que não são forks, cada um uma vez.',
    issues: 'Issues dos repositórios, de todas as pessoas.',
    pull_requests: 'Pull requests dos repositórios, de todas as pessoas.',
    reviews: 'Revisões de pull requests dos repositórios, de todas as pessoas.',
    stars: 'Estrelas dos repositórios, sem forks.',
    contributed_to: 'Repositórios da conta com pelo menos um commit, uma issue, um pull request ou uma revisão.',
    issues_closed: 'Issues fechadas dos repositórios, de todas as pessoas.',
    pull_requests_merged: 'Pull requests mesclados dos repositórios, de todas as pessoas.',
    discussions: 'Discussões dos repositórios, de todas as pessoas.',
    discussions_answered: 'Discussões dos repositórios com uma resposta aceita.',
  },
  coAuthored: 'Os mesmos commits, por cada pessoa que uma linha “Co-authored-by” indica.',
  contributions: 'Commits, issues, pull requests, revisões e discussões da pessoa.',
  experience: 'A soma dos dez contadores desde sempre; cada um lista seus itens.',
  level: '0 sem experiência, 1 a partir da primeira contribuição; o nível n + 1 começa com uma experiência de 100·n².',
  days: 'Para contas do GitHub, a contagem do GitHub; senão, os commits, issues, pull requests, revisões e discussões do dia (UTC), e de uma organização os de todas as pessoas.',
  languages:
    'Arquivos que os commits da conta alteram, por extensão e nome; merges não contam. Cada linguagem lista seus commits.',
  points: 'A soma dos pontos dados pelas regras da classificação e dos pontos concedidos.',
  change:
    'Posições ganhas desde o último dia com classificação; em uma temporada encerrada, desde a temporada anterior.',
  holders: 'Pessoas visíveis para todos que têm a conquista atualmente.',
  progress: 'O que a condição da conquista contabiliza, e o número a partir do qual ela é obtida.',
};
