// placeholder until the server has routes for studies
export async function showStudies() {}
