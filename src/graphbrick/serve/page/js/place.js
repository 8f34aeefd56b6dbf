// The address of a view: `#/page?name=value`. Every view can be shared by its address.

/** Read the address: the page and its values, each a list. */
export function readPlace(hash = location.hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  return { page: path || "ask", values: new URLSearchParams(query) };
}

/** Write an address from a page and values; empty values are left out and lists are repeated. */
export function placeOf(page, values = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== "") query.append(name, one);
    }
  }
  const text = query.toString();
  return `#/${page}${text ? `?${text}` : ""}`;
}

/** Put an address into the address bar without showing the page again. */
export function notePlace(page, values, { asNew = false } = {}) {
  const place = placeOf(page, values);
  if (place === location.hash) return;
  if (asNew) history.pushState(null, "", place);
  else history.replaceState(null, "", place);
}

/** Go to a view. */
export function go(page, values) {
  location.hash = placeOf(page, values);
}
