// Parts of every page. Values become text or attributes, never HTML.
export const $ = (id) => document.getElementById(id);

export function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text !== undefined && text !== null) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

export function alertUser(text) {
  $("alert").textContent = text;
  $("alert").hidden = !text;
}

// Texts of the document itself, from its table.
export function labels(strings) {
  for (const one of document.querySelectorAll("[data-t]")) one.textContent = strings[one.dataset.t];
  for (const one of document.querySelectorAll("[data-l]")) one.setAttribute("aria-label", strings[one.dataset.l]);
  for (const one of document.querySelectorAll("[data-p]")) one.placeholder = strings[one.dataset.p];
}
