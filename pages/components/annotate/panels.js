// What the Annotate page remembers in this browser, and the two panels that say and change it: "Aa"
// for reading, "?" for keys. All of it is built here, node by node: no text is read as HTML.
tandem.remembered = (name) => {
  try {
    return JSON.parse(localStorage.getItem(`tandem.${name}`)) || {};
  } catch {  // nothing stored, or a browser that stores nothing
    return {};
  }
};
tandem.remember = (name, what) => {
  try {
    localStorage.setItem(`tandem.${name}`, JSON.stringify(what));
  } catch { /* it holds for as long as the page is open */ }
};

tandem.node = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
};

{
  const {node, remember, remembered} = tandem;
  const SIZES = [14, 16, 17.5, 20, 23, 27];  // pixels
  const LINES = {narrow: "48ch", medium: "64ch", wide: "88ch"};
  const reading = {size: 17.5, line: "medium", together: false, ...remembered("reading")};
  tandem.reading = reading;

  const apply = () => {
    const root = document.documentElement.style;
    root.setProperty("--reading", `${reading.size}px`);
    root.setProperty("--measure", LINES[reading.line] || LINES.medium);
  };
  const change = (what) => {
    Object.assign(reading, what);
    remember("reading", reading);
    apply();
    draw();
  };
  tandem.change = change;
  apply();

  const panel = node("div", {
    class: "tandem-panel", id: "tandem-reading", role: "dialog", "aria-label": "Reading",
    popover: "auto",
  });
  const step = (by) => {
    const place = SIZES.indexOf(reading.size) + by;
    if (SIZES[place]) change({size: SIZES[place]});
  };
  const choice = (label, pressed, act, more = {}) =>
    node("button", {type: "button", "aria-pressed": String(pressed), onclick: act, ...more}, label);
  const row = (label, ...controls) =>
    node("div", {class: "tandem-row", role: "group", "aria-label": label},
      node("span", {}, label), ...controls);
  const opens = (label, action) => node("button", {
    type: "button", class: "tandem-way", onclick: () => { panel.hidePopover(); tandem.press(action); },
  }, label);

  const draw = () => {
    const focused = [...panel.querySelectorAll("button")].indexOf(document.activeElement);
    const end = (by) => SIZES[SIZES.indexOf(reading.size) + by] === undefined;
    panel.replaceChildren(
      row("Text size",
        node("button", {type: "button", "aria-label": "Smaller text", onclick: () => step(-1),
          "aria-disabled": String(end(-1))}, "A−"),
        node("button", {type: "button", "aria-label": "Larger text", onclick: () => step(1),
          "aria-disabled": String(end(1))}, "A+")),
      row("Lines", ...Object.keys(LINES).map((line) =>
        choice(line, reading.line === line, () => change({line})))),
      row("A and B scroll",
        choice("apart", !reading.together, () => change({together: false})),
        choice("together", reading.together, () => change({together: true}))),
      ...tandem.offered().filter((action) => action.way && tandem.possible(action.name))
        .map((action) => opens(action.label, action.name)));
    panel.querySelectorAll("button")[focused]?.focus();
  };
  const toggle = (open) => {
    if (!panel.isConnected) document.body.append(panel);
    if (!open) return panel.hidePopover();
    draw();
    panel.showPopover();
    const below = document.querySelector('[data-act="reading"]')?.getBoundingClientRect();
    if (below) {
      panel.style.top = `${below.bottom + 6}px`;
      const room = innerWidth - panel.offsetWidth - 8;
      panel.style.right = `${Math.max(8, Math.min(innerWidth - below.right, room))}px`;
    }
    return panel.querySelector("button").focus();
  };
  panel.addEventListener("toggle", (event) => {
    const open = event.newState === "open";
    const button = document.querySelector('[data-act="reading"]');
    button?.setAttribute("aria-expanded", String(open));
    if (!open && (panel.contains(document.activeElement) || document.activeElement === document.body)) {
      button?.focus({preventScroll: true});
    }
  });
  tandem.showReading = () => toggle(!panel.matches(":popover-open"));
}

// Messages that were put away stay away.
tandem.showMessages = () => {
  for (const message of document.querySelectorAll("[data-message]")) {
    const away = Boolean(tandem.remembered("messages")[message.dataset.message]);
    if (message.hidden !== away) message.hidden = away;
  }
};
window.addEventListener("click", (event) => {
  const message = event.target.closest?.("[data-dismiss]")?.closest("[data-message]");
  if (!message) return;
  tandem.remember("messages", {...tandem.remembered("messages"), [message.dataset.message]: 1});
  tandem.showMessages();
});

// A completion code is copied; where the browser does not let a page do that, it is marked instead.
window.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy]");
  if (!button) return;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(button.parentElement.querySelector("output"));
  }
});
// A comment that is being written survives a reload: this tab keeps it until the next question. The
// server hears of it only when it is left.
{
  const KEPT = "tandem.comment";
  const question = () => document.querySelector("[data-key]")?.dataset.key;
  const kept = () => {
    try {
      return JSON.parse(sessionStorage.getItem(KEPT)) || {};
    } catch {  // nothing stored, or a browser that stores nothing
      return {};
    }
  };
  window.addEventListener("input", ({target}) => {
    if (!target.matches("[aria-label=Comment]")) return;
    try {
      sessionStorage.setItem(KEPT, JSON.stringify({question: question(), text: target.value}));
    } catch { /* it holds for as long as the page is open */ }
  }, true);

  const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  let seen = "";  // the question whose comment was looked for: once, so that one may empty the box
  tandem.restoreComment = () => {
    const box = document.querySelector("[aria-label=Comment]");
    if (!box || seen === question()) return;
    seen = question();
    const draft = kept();
    if (draft.question !== seen || !draft.text || box.value) return;
    setValue.call(box, draft.text);  // as if it were typed, and left: React hears of nothing else
    box.dispatchEvent(new Event("input", {bubbles: true}));
    box.dispatchEvent(new FocusEvent("focusout", {bubbles: true}));
  };
}
