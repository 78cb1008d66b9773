// Keys of the question page: only the browser knows what is held down, where the pointer is, and
// which keys this person likes. A key presses the button that is on the page for it.
{
  const {node, remember, remembered} = tandem;
  const stop = (event) => { event.stopImmediatePropagation(); event.preventDefault(); };
  const ARROWS = {ArrowLeft: "a", ArrowRight: "b", ArrowUp: "tie", ArrowDown: "both_bad"};
  const BY_PAGE = {" ": 0.85, PageDown: 0.85, PageUp: -0.85};
  let own = remembered("keys");  // what this person changed: action -> key

  // What can be done here now: the page says so, answers first.
  const offered = () => {
    const said = document.querySelector("[data-actions]");
    if (!said) return [];
    return JSON.parse(said.dataset.actions).map((action) => (
      {...action, key: own[action.name] ?? action.key, given: action.key}));
  };
  tandem.offered = offered;
  const place = (name) => name.startsWith("sure-")  // they are in one row
    ? `[class*="st-key-sure-"] button:nth-child(${Number(name.slice(5)) + 1})`
    : `[class*="st-key-${name}-"] button`;
  const button = (name) => document.querySelector(`${place(name)}:not(:disabled)`);
  const comment = () => {
    const box = document.querySelector("[aria-label=Comment]");
    box?.focus();
    return Boolean(box);
  };
  const DOES = {
    comment,
    reading: () => tandem.showReading(),
    keys: () => showKeys(),
    find: () => tandem.find(),
    together: () => tandem.change({together: !tandem.reading.together}),
  };
  tandem.possible = (name) => name !== "find" || Boolean(document.querySelector(".tandem-find"));
  const press = (name) => {
    if (DOES[name]) return DOES[name]() !== false;
    const pressed = button(name);
    if (pressed) pressed.click();
    else if (name.startsWith("vote-")) tooEarly();
    return Boolean(pressed);
  };
  const tell = (text) => {
    const said = document.querySelector(".tandem-said");
    if (said) said.textContent = text;
  };
  // On a slow machine the texts are there before the buttons: a press then is an answer to nothing.
  // Without a connection the framework disables them.
  const tooEarly = () => tell(document.querySelector('[class*="st-key-vote-"] button:disabled')
    ? "No connection to the server: not saved. Press again once it is back."
    : "The answers were not there yet: not counted. Press again.");

  // A press that is lost on the way is said, rather than nothing happening.
  const PATIENCE = 3000;  // milliseconds
  const nearby = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  const question = () => document.querySelector("[data-key]")?.dataset.key;
  window.addEventListener("click", (event) => {
    const pressed = event.target.closest?.('[class*="st-key-vote-"] button');
    if (!pressed) return;
    const unseen = !pressed.closest('[class*="st-key-vote-skip-"]') && tandem.findUnseen();
    if (unseen) {
      stop(event);
      unseen.scrollIntoView();
      tell("You had not seen this text: not counted. Read it, then press again.");
      return;
    }
    if (!navigator.onLine && !nearby) {
      stop(event);
      tell("You are offline: not saved. Press again once you are back.");
      return;
    }
    const asked = question();
    setTimeout(() => {
      if (asked && question() === asked) tell("No answer from the server yet: not confirmed as saved.");
    }, PATIENCE);
  }, true);
  tandem.press = press;

  // The keys, in a dialogue: to look up, and to change.
  const dialog = node("dialog", {class: "tandem-panel tandem-keys", "aria-label": "Keys"});
  let awaited = "";  // the action whose next key is waited for
  const called = (key) => key.length === 1 ? key.toUpperCase() : key;
  const say = (text) => { dialog.querySelector("[role=status]").textContent = text; };
  const assign = (key) => {
    const taken = offered().find((action) => action.key === key && action.name !== awaited);
    if (key.length !== 1 || key === " ") {
      say("Choose a letter, a digit or a sign: other keys move through the page.");
    } else if (taken) {
      say(`“${called(key)}” is the key for “${taken.label}”. Choose another, or change that first.`);
    } else {
      own = {...own, [awaited]: key};
      remember("keys", own);
      const {label} = offered().find((action) => action.name === awaited);
      awaited = "";
      drawKeys();
      say(`“${called(key)}” is now the key for “${label}”.`);
    }
  };
  const reset = () => {
    own = {};
    awaited = "";
    remember("keys", own);
    drawKeys();
    say("All keys are as they were at first.");
  };
  const wait = (action) => {
    awaited = action.name;
    drawKeys();
    say(`Press the new key for “${action.label}”, or Escape.`);
  };
  const drawKeys = () => {
    const focused = [...dialog.querySelectorAll("button")].indexOf(document.activeElement);
    const arrows = Object.fromEntries(
      Object.entries(ARROWS).map(([key, name]) => [name, {ArrowLeft: "←", ArrowRight: "→",
        ArrowUp: "↑", ArrowDown: "↓"}[key]]));
    dialog.replaceChildren(
      node("h2", {}, "Keys"),
      node("ul", {}, ...offered().map((action) => node("li", {},
        node("span", {}, action.label),
        arrows[action.name.replace("vote-", "")] && action.answers
          ? node("kbd", {}, arrows[action.name.replace("vote-", "")]) : "",
        node("button", {type: "button", "aria-pressed": String(awaited === action.name),
          "aria-label": `${action.label}: ${called(action.key)}. Change the key`,
          onclick: () => wait(action)},
        awaited === action.name ? "…" : called(action.key))))),
      node("p", {}, "Space and Page Down scroll the text under the pointer. Where a text is longer "
        + "than its box, ↑ and ↓ scroll it, too. To change a key, click it here."),
      node("p", {role: "status", class: "tandem-key-said"}),
      node("div", {class: "tandem-row"},
        node("button", {type: "button", onclick: reset}, "Reset to default"),
        node("button", {type: "button", onclick: () => dialog.close()}, "Close")));
    dialog.querySelectorAll("button")[focused]?.focus();
    paint();
  };
  const showKeys = () => {
    if (!dialog.isConnected) document.body.append(dialog);
    if (dialog.open) return dialog.close();
    awaited = "";
    drawKeys();
    return dialog.showModal();
  };
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  const take = (event) => {
    if (["Tab", "Shift", "Alt", "Control", "Meta"].includes(event.key)) return;
    stop(event);
    if (event.key !== "Escape") assign(event.key.toLowerCase());
    else {
      awaited = "";
      drawKeys();
    }
  };

  // The keys stand on the buttons, where there is a keyboard to press them on.
  const painted = node("style", {id: "tandem-keys-painted"});
  let last = "";
  const paint = () => {
    const actions = offered();
    const rules = actions.map(({name, key}) =>
      `${place(name)}, [data-act="${name}"] { --key: ${JSON.stringify(called(key))}; }`).join("\n");
    if (rules !== last) {
      painted.textContent = last = rules;
      if (!painted.isConnected) document.head.append(painted);
    }
    for (const {name, key} of actions) {
      const on = button(name);
      if (on && on.getAttribute("aria-keyshortcuts") !== key) on.setAttribute("aria-keyshortcuts", key);
    }
  };
  // What is to be done next has the focus: a name to give, or a card to go on from.
  const ready = new WeakSet();
  tandem.paint = () => {
    paint();
    const on = document.querySelector(
      '[class*="st-key-go-on-"] button, [data-testid=stForm] input[aria-label="Your name"]');
    if (on && !ready.has(on)) {
      ready.add(on);
      on.focus({preventScroll: true});
    }
  };

  const typing = (event) => event.target.closest("input, textarea, [contenteditable=true]");
  const operated = (event) => event.target.closest("button, a, summary, [role=radiogroup]");
  const operatedByArrows = (event) => event.target.closest("[role=radiogroup], [role=menu], nav");
  const covered = () => dialog.open
    || document.querySelector("[role=dialog]:not([popover]), .tandem-panel:popover-open");
  // With Shift, left and right mean "much better", where the campaign asks how much.
  const meant = (actions, event) => {
    const name = `vote-${ARROWS[event.key]}`;
    return (event.shiftKey && actions.find((one) => one.name === `${name}_much`))
      || actions.find((one) => one.name === name);
  };

  const scroll = (event) => {
    const box = tandem.current();
    if (!box || operated(event)) return false;
    const line = {ArrowUp: -60, ArrowDown: 60}[event.key];
    const page = BY_PAGE[event.key] * (event.shiftKey ? -1 : 1) * box.clientHeight;
    const end = {Home: -box.scrollHeight, End: box.scrollHeight}[event.key];
    const far = line || page || end;
    if (far) box.scrollBy({top: far});
    return Boolean(far);
  };

  // A key held down repeats, and under a dialogue the pair is hidden: neither is an answer.
  window.addEventListener("keydown", (event) => {
    const actions = offered();
    if (dialog.open && awaited) {
      take(event);
      return;
    }
    if (!actions.length || typing(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    const action = actions.find((one) => one.key === key);
    if (covered()) {
      if (!action) return;
      if (dialog.open && action.name === "keys") dialog.close();
      stop(event);
      return;
    }
    const arrow = event.key in ARROWS && meant(actions, event);
    const line = ["ArrowUp", "ArrowDown"].includes(event.key) && tandem.boxes().some(tandem.scrolls);
    if (action) {
      if (event.repeat) stop(event);
      else if (press(action.name)) stop(event);
    } else if (arrow && !line && !operatedByArrows(event)) {
      if (event.repeat || press(arrow.name)) stop(event);
    } else if (scroll(event)) event.preventDefault();
  }, true);

  // Enter leaves the comment, so that the keys answer again.
  window.addEventListener("keydown", (event) =>
    ["Enter", "Escape"].includes(event.key) && event.target.matches("[aria-label=Comment]")
      && setTimeout(() => event.target.blur(), 50), true);

  window.addEventListener("click", (event) => {
    const asked = event.target.closest?.("[data-act]");
    if (asked) press(asked.dataset.act);
  });
}
