// Making elements.

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** An element with attributes (false leaves one out) and contents. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...contents: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== false) made.setAttribute(key, value === true ? '' : String(value));
  }
  made.append(...contents);
  return made;
}

/** An element of the page that its HTML has. */
export function found(id: string): HTMLElement {
  const there = document.getElementById(id);
  if (!there) throw new Error(`the page has no element ${id}`);
  return there;
}
