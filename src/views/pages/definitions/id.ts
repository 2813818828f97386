import type { Sentences } from './sentences.ts';

export const id: Sentences = {
  ofPerson: {
    commits:
      'Commit di cabang bawaan repositori yang bukan fork, menurut pembuatnya; setiap commit dihitung sekali untuk setiap orang.',
    issues: 'Isu yang dibuka akun ini.',
    pull_requests: 'Pull request yang dibuka akun ini.',
    reviews: 'Tinjauan pull request yang dikirim akun ini.',
    stars: 'Bintang pada repositori milik akun ini, tanpa fork.',
    contributed_to: 'Repositori dengan sedikitnya satu commit, isu, pull request, atau tinjauan dari akun ini.',
    issues_closed: 'Isu yang dibuka akun ini dan sudah ditutup.',
    pull_requests_merged: 'Pull request yang dibuka akun ini dan sudah digabung.',
    discussions: 'Diskusi yang dimulai akun ini.',
    discussions_answered: 'Komentar akun ini yang diterima sebagai jawaban sebuah diskusi.',
  },
  ofAll: {
    commits: 'Commit di cabang bawaan repositori yang bukan fork, masing-masing sekali.',
    issues: 'Isu di repositori, dari semua orang.',
    pull_requests: 'Pull request di repositori, dari semua orang.',
    reviews: 'Tinjauan pull request di repositori, dari semua orang.',
    stars: 'Bintang pada repositori, tanpa fork.',
    contributed_to: 'Repositori akun ini dengan sedikitnya satu commit, isu, pull request, atau tinjauan.',
    issues_closed: 'Isu yang ditutup di repositori, dari semua orang.',
    pull_requests_merged: 'Pull request yang digabung di repositori, dari semua orang.',
    discussions: 'Diskusi di repositori, dari semua orang.',
    discussions_answered: 'Diskusi di repositori dengan jawaban yang diterima.',
  },
  coAuthored: 'Commit yang sama, untuk setiap orang yang disebut baris “Co-authored-by”.',
  contributions: 'Commit, isu, pull request, tinjauan, dan diskusi orang itu.',
  experience: 'Jumlah kesepuluh penghitung sepanjang waktu; masing-masing mencantumkan butirnya.',
  level: '0 tanpa pengalaman, 1 sejak kontribusi pertama; level n + 1 dimulai pada pengalaman 100·n².',
  days: 'Untuk akun GitHub, hitungan GitHub; selain itu commit, isu, pull request, tinjauan, dan diskusi pada hari itu (UTC), untuk organisasi dari semua orang.',
  languages:
    'Berkas yang diubah commit akun ini, menurut ekstensi dan namanya; merge tidak dihitung. Setiap bahasa mencantumkan commit-nya.',
  points: 'Jumlah poin menurut aturan papan dan poin yang diberikan.',
  change:
    'Peringkat yang naik sejak hari terakhir dengan peringkat; pada musim yang sudah ditutup, sejak musim sebelumnya.',
  holders: 'Orang yang boleh dilihat semua orang dan saat ini memiliki pencapaian itu.',
  progress: 'Yang dihitung syarat pencapaian untuk akun, dan jumlah yang diperlukan untuk meraihnya.',
};
