/** Invented titles of commits, pull requests, issues and discussions. */

export const pullRequestTitles = [
  'Sort varieties by the week of sowing',
  'Show the depth of each seed',
  'Warn of frost before midnight',
  'Read soil moisture twice an hour',
  'Add heirloom tomatoes',
  'Explain companion plants on the start page',
  'Remember the last watering',
  'Translate the month names',
  'Make the calendar usable with a keyboard',
  'Draw the beds to scale',
  'Cache tide tables for a day',
  'Round tides to five minutes',
  'Retry a sensor that is silent',
  'Speed up the search for neighbours',
  'Keep the timetable without a network',
  'Describe the harbour in the handbook',
  'Test the leap year',
  'Remove an unused setting',
  'Print labels for pots',
  'Support greenhouses with two doors',
  'Say which lamp is out',
  'Import seeds from a spreadsheet',
  'Add a chapter about compost',
  'Larger touch targets on phones',
] as const;

export const issueTitles = [
  'The frost warning comes an hour late in spring',
  'Beans and onions are shown as friends',
  'Could the catalogue have pictures?',
  'The pump runs while it rains',
  'A guide for balconies would help',
  'High tide is missing on the day the clocks change',
  'Print view cuts off the last column',
  'Dark theme for the timetable',
  'Search finds basil, but not holy basil',
  'Document how to calibrate a sensor',
  'Names of months are not translated',
  'Export a bed as an image',
  'Lamp status is unclear for colour-blind people',
  'First start takes long on a small computer',
] as const;

export const questions = [
  'How do you store seeds over winter?',
  'Which sensor do you use outdoors?',
  'How can I help with translations?',
  'Where does the tide data come from?',
  'What should be in the spring release?',
  'How do I run two greenhouses with one server?',
] as const;
