import * as first from './0001-first.ts';
import * as privateData from './0002-private-data.ts';
import * as deliveries from './0003-deliveries.ts';
import * as fullDepth from './0004-full-depth.ts';
import * as installations from './0005-installations.ts';
import * as images from './0006-images.ts';
import * as achievements from './0007-achievements.ts';
import * as detailsOnDemand from './0009-details-on-demand.ts';
import * as notifications from './0010-notifications.ts';
import * as detailsAskedAnew from './0011-details-asked-anew.ts';
import * as filesOfCommits from './0012-files-of-commits.ts';
import * as answeredAt from './0013-answered-at.ts';
import * as icons from './0014-icons.ts';
import * as identities from './0015-identities.ts';
import * as skippedItems from './0016-skipped-items.ts';
import * as freshness from './0017-freshness.ts';
import * as calendars from './0018-calendars.ts';
import * as wholeRows from './0019-whole-rows.ts';
import * as namesAndVisibility from './0020-names-and-visibility.ts';
import * as starsAndBots from './0021-stars-and-bots.ts';
import * as doctor from './0022-doctor.ts';
import * as plainNames from './0023-plain-names.ts';
import * as delayedLookups from './0026-delayed-lookups.ts';
import * as administrators from './0027-administrators.ts';
import * as credentialNames from './0028-credential-names.ts';
import * as importedAwards from './0030-imported-awards.ts';
import * as credentialStatuses from './0031-credential-statuses.ts';
import * as boundedWork from './0033-bounded-work.ts';
import * as storedNames from './0035-stored-names.ts';
import * as announcements from './0036-announcements.ts';
import * as daysOfRepositories from './0037-days-of-repositories.ts';
import * as activity from './0038-activity.ts';
import * as definitions from './0039-definitions.ts';
import * as orderOfDeliveries from './0043-order-of-deliveries.ts';
import * as changedRepositories from './0044-changed-repositories.ts';
import * as ownerSums from './0045-owner-sums.ts';
import * as listsOfContributors from './0046-lists-of-contributors.ts';
import * as totalsWithoutTriggers from './0050-totals-without-triggers.ts';
import * as itemsByTime from './0055-items-by-time.ts';
import * as titles from './0056-titles.ts';
import * as itemsByEnd from './0057-items-by-end.ts';
import * as reportedWindows from './0058-reported-windows.ts';
import * as subjects from './0059-subjects.ts';
import * as boards from './0060-boards.ts';
import * as mergedBy from './0061-merged-by.ts';
import * as boardSeasons from './0062-board-seasons.ts';
import * as assisted from './0063-assisted.ts';
import * as sessions from './0067-sessions.ts';
import * as noForeignKeysAcross from './0068-no-foreign-keys-across.ts';
import * as changes from './0074-changes.ts';
import * as hostTeams from './0075-host-teams.ts';
import * as languages from './0078-languages.ts';
import * as daysInOrder from './0079-days-in-order.ts';
import * as reachedTimes from './0080-reached-times.ts';
import * as followedBoards from './0081-followed-boards.ts';
import * as historiesByScan from './0085-histories-by-scan.ts';
import * as holdersInOrder from './0095-holders-in-order.ts';
import * as listsInParts from './0096-lists-in-parts.ts';
import * as appliedDeliveries from './0101-applied-deliveries.ts';
import * as recountsInParts from './0102-recounts-in-parts.ts';
import * as erasuresInParts from './0103-erasures-in-parts.ts';
import * as latestTime from './0104-latest-time.ts';
import * as namesOfTypesAndParts from './0105-names-of-types-and-parts.ts';
import * as boundedJobs from './0106-bounded-jobs.ts';
import * as partsOfJobs from './0107-parts-of-jobs.ts';
import * as boardsInParts from './0108-boards-in-parts.ts';
import * as seasonsInParts from './0109-seasons-in-parts.ts';
import * as namedPeople from './0110-named-people.ts';
import * as countedRepositories from './0111-counted-repositories.ts';
import * as namesInSeasons from './0112-names-in-seasons.ts';
import * as changedIdentities from './0113-changed-identities.ts';
import * as formerLock from './0114-former-lock.ts';
import * as messagesInOrder from './0115-messages-in-order.ts';
import * as peopleOfParts from './0116-people-of-parts.ts';
import * as addressesOfErased from './0117-addresses-of-erased.ts';
import * as failingLookups from './0118-failing-lookups.ts';
import * as languageSums from './0119-language-sums.ts';
import * as failingStreams from './0120-failing-streams.ts';
import * as pendingWithdrawals from './0121-pending-withdrawals.ts';
import * as checksInShares from './0122-checks-in-shares.ts';
import * as lookupsOfAccounts from './0123-lookups-of-accounts.ts';
import * as repairsInParts from './0124-repairs-in-parts.ts';
import * as shownBoards from './0125-shown-boards.ts';
import * as largeDays from './0126-large-days.ts';
import * as wantedTotals from './0129-wanted-totals.ts';
import * as boundSeasons from './0132-bound-seasons.ts';
import * as numberedAddresses from './0133-numbered-addresses.ts';
import * as checkedAccess from './0134-checked-access.ts';
import * as unknownFollowers from './0135-unknown-followers.ts';
import * as languagesOnce from './0136-languages-once.ts';
import * as statesOfReviews from './0140-states-of-reviews.ts';
import type { Migration } from './migration.ts';

/** All migrations, oldest first. They only go forward: a published one is never changed, and none has a way down. */
export const migrations: Record<string, Migration> = {
  '0001-first': first,
  '0002-private-data': privateData,
  '0003-deliveries': deliveries,
  '0004-full-depth': fullDepth,
  '0005-installations': installations,
  '0006-images': images,
  '0007-achievements': achievements,
  '0009-details-on-demand': detailsOnDemand,
  '0010-notifications': notifications,
  '0011-details-asked-anew': detailsAskedAnew,
  '0012-files-of-commits': filesOfCommits,
  '0013-answered-at': answeredAt,
  '0014-icons': icons,
  '0015-identities': identities,
  '0016-skipped-items': skippedItems,
  '0017-freshness': freshness,
  '0018-calendars': calendars,
  '0019-whole-rows': wholeRows,
  '0020-names-and-visibility': namesAndVisibility,
  '0021-stars-and-bots': starsAndBots,
  '0022-doctor': doctor,
  '0023-plain-names': plainNames,
  '0026-delayed-lookups': delayedLookups,
  '0027-administrators': administrators,
  '0028-credential-names': credentialNames,
  '0030-imported-awards': importedAwards,
  '0031-credential-statuses': credentialStatuses,
  '0033-bounded-work': boundedWork,
  '0035-stored-names': storedNames,
  '0036-announcements': announcements,
  '0037-days-of-repositories': daysOfRepositories,
  '0038-activity': activity,
  '0039-definitions': definitions,
  '0043-order-of-deliveries': orderOfDeliveries,
  '0044-changed-repositories': changedRepositories,
  '0045-owner-sums': ownerSums,
  '0046-lists-of-contributors': listsOfContributors,
  '0050-totals-without-triggers': totalsWithoutTriggers,
  '0055-items-by-time': itemsByTime,
  '0056-titles': titles,
  '0057-items-by-end': itemsByEnd,
  '0058-reported-windows': reportedWindows,
  '0059-subjects': subjects,
  '0060-boards': boards,
  '0061-merged-by': mergedBy,
  '0062-board-seasons': boardSeasons,
  '0063-assisted': assisted,
  '0067-sessions': sessions,
  '0068-no-foreign-keys-across': noForeignKeysAcross,
  '0074-changes': changes,
  '0075-host-teams': hostTeams,
  '0078-languages': languages,
  '0079-days-in-order': daysInOrder,
  '0080-reached-times': reachedTimes,
  '0081-followed-boards': followedBoards,
  '0085-histories-by-scan': historiesByScan,
  '0095-holders-in-order': holdersInOrder,
  '0096-lists-in-parts': listsInParts,
  '0101-applied-deliveries': appliedDeliveries,
  '0102-recounts-in-parts': recountsInParts,
  '0103-erasures-in-parts': erasuresInParts,
  '0104-latest-time': latestTime,
  '0105-names-of-types-and-parts': namesOfTypesAndParts,
  '0106-bounded-jobs': boundedJobs,
  '0107-parts-of-jobs': partsOfJobs,
  '0108-boards-in-parts': boardsInParts,
  '0109-seasons-in-parts': seasonsInParts,
  '0110-named-people': namedPeople,
  '0111-counted-repositories': countedRepositories,
  '0112-names-in-seasons': namesInSeasons,
  '0113-changed-identities': changedIdentities,
  '0114-former-lock': formerLock,
  '0115-messages-in-order': messagesInOrder,
  '0116-people-of-parts': peopleOfParts,
  '0117-addresses-of-erased': addressesOfErased,
  '0118-failing-lookups': failingLookups,
  '0119-language-sums': languageSums,
  '0120-failing-streams': failingStreams,
  '0121-pending-withdrawals': pendingWithdrawals,
  '0122-checks-in-shares': checksInShares,
  '0123-lookups-of-accounts': lookupsOfAccounts,
  '0124-repairs-in-parts': repairsInParts,
  '0125-shown-boards': shownBoards,
  '0126-large-days': largeDays,
  '0129-wanted-totals': wantedTotals,
  '0132-bound-seasons': boundSeasons,
  '0133-numbered-addresses': numberedAddresses,
  '0134-checked-access': checkedAccess,
  '0135-unknown-followers': unknownFollowers,
  '0136-languages-once': languagesOnce,
  '0140-states-of-reviews': statesOfReviews,
};
