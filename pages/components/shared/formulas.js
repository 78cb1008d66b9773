// Formulas: the server sends their MathML as data, and here the elements are made, node by node, of
// a list of tags and attributes. No text is read as HTML. Without this script the LaTeX is read.
if (!window.tandemFormulas) {
  window.tandemFormulas = true;
  const TAGS = new Set("@TAGS@".split(" "));
  const ATTRIBUTES = new Set("@ATTRIBUTES@".split(" "));
  const make = (part) => {
    if (typeof part === "string") return document.createTextNode(part);
    const [tag, attributes, ...parts] = part;
    if (!TAGS.has(tag)) return document.createTextNode("");
    const node = document.createElementNS("http://www.w3.org/1998/Math/MathML", tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (ATTRIBUTES.has(name)) node.setAttribute(name, value);
    }
    node.append(...parts.map(make));
    return node;
  };
  const set = () => {
    for (const formula of document.querySelectorAll("[data-formula]")) {
      const tree = formula.dataset.formula;
      formula.removeAttribute("data-formula");
      const latex = formula.textContent;
      try {
        const math = make(JSON.parse(tree));
        math.setAttribute("aria-label", latex);
        formula.replaceChildren(math);
        formula.title = latex;
      } catch { /* the LaTeX stays */ }
    }
  };
  new MutationObserver(set).observe(document.body, {childList: true, subtree: true});
  set();
}
