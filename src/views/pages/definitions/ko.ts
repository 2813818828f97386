import type { Sentences } from './sentences.ts';

export const ko: Sentences = {
  ofPerson: {
    commits:
      '포크가 아닌 저장소의 기본 브랜치에 있는 커밋을 작성자별로 셉니다. 같은 커밋은 한 사람에게 한 번만 셉니다.',
    issues: '이 계정이 연 이슈.',
    pull_requests: '이 계정이 연 풀 리퀘스트.',
    reviews: '이 계정이 제출한 풀 리퀘스트 리뷰.',
    stars: '이 계정이 소유한 저장소의 별(포크 제외).',
    contributed_to: '이 계정의 커밋, 이슈, 풀 리퀘스트 또는 리뷰가 하나 이상 있는 저장소.',
    issues_closed: '이 계정이 열었고 닫힌 이슈.',
    pull_requests_merged: '이 계정이 열었고 병합된 풀 리퀘스트.',
    discussions: '이 계정이 시작한 토론.',
    discussions_answered: '토론의 답변으로 채택된 이 계정의 댓글.',
  },
  ofAll: {
    commits: '포크가 아닌 저장소의 기본 브랜치에 있는 커밋(각각 한 번).',
    issues: '저장소의 이슈(모든 사람).',
    pull_requests: '저장소의 풀 리퀘스트(모든 사람).',
    reviews: '저장소의 풀 리퀘스트 리뷰(모든 사람).',
    stars: '저장소의 별(포크 제외).',
    contributed_to: '커밋, 이슈, 풀 리퀘스트 또는 리뷰가 하나 이상 있는 이 계정의 저장소.',
    issues_closed: '저장소의 닫힌 이슈(모든 사람).',
    pull_requests_merged: '저장소의 병합된 풀 리퀘스트(모든 사람).',
    discussions: '저장소의 토론(모든 사람).',
    discussions_answered: '채택된 답변이 있는 저장소의 토론.',
  },
  coAuthored: '같은 커밋을 Co-authored-by 줄에 있는 사람마다 셉니다.',
  contributions: '이 사람의 커밋, 이슈, 풀 리퀘스트, 리뷰, 토론.',
  experience: '전체 기간의 열 가지 수를 더한 값. 각각 항목 목록이 있습니다.',
  level: '경험이 없으면 0, 첫 기여부터 1. 레벨 n + 1은 경험 100·n²에서 시작합니다.',
  days: 'GitHub 계정은 GitHub의 집계, 그 밖에는 그날(UTC)의 커밋, 이슈, 풀 리퀘스트, 리뷰, 토론이며 조직은 모든 사람의 것입니다.',
  languages:
    '이 계정의 커밋이 변경한 파일을 확장자와 이름으로 나눈 수. 병합은 세지 않습니다. 언어마다 커밋 목록이 있습니다.',
  points: '순위표 규칙에 따른 점수와 따로 준 점수의 합계.',
  change: '순위가 매겨진 마지막 날 이후 오른 순위. 끝난 시즌에서는 이전 시즌 이후.',
  holders: '누구나 볼 수 있고 현재 이 업적을 가진 사람.',
  progress: '업적 조건에 따라 계정에 집계된 수와 획득에 필요한 수.',
};
