/** The files that define the sample's achievements and boards. */

export const gardenAchievements = `version: 0.0.1
achievements:
  - achievement:
      name: First seedling
      icon: icons/seedling.png
      description: The first merged pull request.
      triggers:
        - trigger: { actor: author, action: pull_request, condition: merged = true }
  - achievement:
      name: Green thumb
      icon: icons/leaf.png
      description: Twenty merged pull requests.
      triggers:
        - trigger: { actor: author, action: pull_request, condition: "merged = true & count() >= 20" }
  - achievement:
      name: Pollinator
      icon: icons/bee.png
      description: Twenty-five reviews of the work of others.
      triggers:
        - trigger: { actor: author, action: review, condition: count() >= 25 }
  - achievement:
      name: Weeder
      icon: icons/glove.png
      description: Five issues resolved.
      triggers:
        - trigger: { actor: resolved_by, action: issue, condition: "reason = COMPLETED & count() >= 5" }
  - achievement:
      name: Harvest of 2026
      icon: icons/apple.png
      description: Three merged pull requests with the label "harvest" in 2026.
      triggers:
        - trigger: { actor: author, action: pull_request, condition: "merged = true & labels in ['harvest'] & created_at >= 2026-01-01 & count() >= 3" }
`;

export const harbourAchievements = `version: 0.0.1
achievements:
  - achievement:
      name: First light
      icon: icons/light.png
      description: The first merged pull request.
      triggers:
        - trigger: { actor: author, action: pull_request, condition: merged = true }
`;

const rules = `
        - { action: pull_request, condition: "merged = true", at: merged, points: 5, per_day: 20 }
        - { action: review, points: 2, per_day: 10 }
        - { actor: resolved_by, action: issue, condition: "reason = COMPLETED", points: 3 }
        - { action: commit, points: 1, per_day: 3 }`;

export const boards = `version: 1
boards:
  - board:
      name: Autumn harvest
      slug: autumn-harvest
      description: Everything that ripens from October to the end of November, in the garden and at the harbour.
      repositories: [sample-garden/*, sample-harbour/*]
      window: { since: 2026-10-01, until: 2026-11-30 }
      points:${rules}
      threshold: 50
  - board:
      name: Gardeners of the month
      slug: monthly
      description: A new season each month.
      repositories: [sample-garden/*]
      window: { seasons: month, from: 2026-08-01 }
      points:${rules}
      ties: earliest
`;
