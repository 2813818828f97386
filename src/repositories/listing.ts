/** Names under which repositories that a listing leaves out are stored: those of the public view, and those that a credential shows. */
export const publicListing = 'repositories';
export const privateListing = 'private repositories';
