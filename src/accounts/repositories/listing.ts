/**
 * The names of the streams under which skipped items of listings are stored: of the public view, and of the views of
 * credentials.
 */
export const publicListing = 'repositories';
export const privateListing = 'private repositories';
