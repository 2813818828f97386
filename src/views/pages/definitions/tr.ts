import type { Sentences } from './sentences.ts';

export const tr: Sentences = {
  ofPerson: {
    commits:
      'Çatal olmayan depoların varsayılan dalındaki commitler, yazarına göre; her commit her kişi için bir kez sayılır.',
    issues: 'Hesabın açtığı sorunlar.',
    pull_requests: 'Hesabın açtığı pull requestler.',
    reviews: 'Hesabın pull requestler için gönderdiği incelemeler.',
    stars: 'Hesabın depolarındaki yıldızlar, çatallar hariç.',
    contributed_to: 'Hesabın en az bir commit, sorun, pull request veya incelemesi olan depolar.',
    issues_closed: 'Hesabın açtığı ve kapatılmış sorunlar.',
    pull_requests_merged: 'Hesabın açtığı ve birleştirilmiş pull requestler.',
    discussions: 'Hesabın başlattığı tartışmalar.',
    discussions_answered: 'Hesabın, bir tartışmanın yanıtı olarak kabul edilen yorumları.',
  },
  ofAll: {
    commits: 'Çatal olmayan depoların varsayılan dalındaki commitler, her biri bir kez.',
    issues: 'Depolardaki sorunlar, herkesinki.',
    pull_requests: 'Depolardaki pull requestler, herkesinki.',
    reviews: 'Depolardaki pull requestlerin incelemeleri, herkesinki.',
    stars: 'Depoların yıldızları, çatallar hariç.',
    contributed_to: 'Hesabın en az bir commit, sorun, pull request veya inceleme içeren depoları.',
    issues_closed: 'Depolardaki kapatılmış sorunlar, herkesinki.',
    pull_requests_merged: 'Depolardaki birleştirilmiş pull requestler, herkesinki.',
    discussions: 'Depolardaki tartışmalar, herkesinki.',
    discussions_answered: 'Depolarda kabul edilmiş yanıtı olan tartışmalar.',
  },
  coAuthored: 'Aynı commitler, “Co-authored-by” satırının andığı her kişi için.',
  contributions: 'Kişinin commitleri, sorunları, pull requestleri, incelemeleri ve tartışmaları.',
  experience: 'On sayacın tüm zamanlardaki toplamı; her biri öğelerini listeler.',
  level: 'Deneyim yoksa 0, ilk katkıdan itibaren 1; n + 1. seviye 100·n² deneyimle başlar.',
  days: 'GitHub hesapları için GitHub’ın sayımı; diğerlerinde o günün (UTC) commit, sorun, pull request, inceleme ve tartışmaları, kuruluşlarda herkesinki.',
  languages:
    'Hesabın commitlerinin değiştirdiği dosyalar, uzantılarına ve adlarına göre; birleştirmeler sayılmaz. Her dil commitlerini listeler.',
  points: 'Sıralamanın kurallarının verdiği puanlarla ayrıca verilen puanların toplamı.',
  change: 'Sıralama yapılan son günden beri kazanılan sıralar; kapanmış bir sezonda önceki sezondan beri.',
  holders: 'Herkesin görebildiği ve başarıya şu anda sahip olan kişiler.',
  progress: 'Başarının koşulunun hesap için saydıkları ve kazanmak için gereken sayı.',
};
