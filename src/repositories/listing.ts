/**
 * Names under which repositories that a listing leaves out are stored: for the public view, and for the views of
 * credentials.
 */
export const publicListing = 'repositories';
export const privateListing = 'private repositories';
