// Keys and scrolling of the question page: only the browser knows what is held down, what is hidden
// and where the pointer is.
if (!window.tandemKeys) {
  window.tandemKeys = true;
  const HIDDEN = 6;  // pixels below the fold that are worth a word
  const VOTES = {ArrowLeft: "a", ArrowRight: "b", ArrowUp: "tie", ArrowDown: "both_bad"};
  const BY_PAGE = {" ": 0.85, PageDown: 0.85, PageUp: -0.85};
  const typing = (event) => event.target.closest("input, textarea, [contenteditable=true]");
  const operated = (event) => event.target.closest("button, a, summary, [role=radiogroup]");
  const operatedByArrows = (event) => event.target.closest("[role=radiogroup], [role=menu], nav");
  const answers = (event) => "1234szd".includes(event.key.toLowerCase()) || event.key in VOTES;
  const boxes = () => [...document.querySelectorAll(
    ".tandem-sides > section, .tandem-context .tandem-text")];
  const below = (box) => box.scrollHeight - box.clientHeight - box.scrollTop;
  const scrolls = (box) => box.scrollHeight - box.clientHeight > HIDDEN;
  let looked = null;  // the box that the pointer or the focus was on last
  const current = () => looked && looked.isConnected && scrolls(looked) ? looked
    : boxes().find((box) => below(box) > HIDDEN) || boxes().find(scrolls);

  const stop = (event) => { event.stopImmediatePropagation(); event.preventDefault(); };

  const scroll = (event) => {
    const box = current();
    if (!box || operated(event)) return false;
    const line = {ArrowUp: -60, ArrowDown: 60}[event.key];
    const page = BY_PAGE[event.key] * (event.shiftKey ? -1 : 1) * box.clientHeight;
    const end = {Home: -box.scrollHeight, End: box.scrollHeight}[event.key];
    const far = line || page || end;
    if (far) box.scrollBy({top: far});
    return Boolean(far);
  };
  const vote = (event) => {
    const button = document.querySelector(`[class*="st-key-vote-${VOTES[event.key]}-"] button`);
    if (button) button.click();
    return Boolean(button);
  };
  // A key held down repeats, and under the guidelines the pair is hidden: neither is an answer.
  window.addEventListener("keydown", (event) => {
    const asking = document.querySelector('[class*="st-key-vote-a-"]');
    if (!asking || typing(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = event.key in VOTES;
    if (document.querySelector("[role=dialog]")) {
      if (answers(event) && !arrow) stop(event);
      return;
    }
    const line = ["ArrowUp", "ArrowDown"].includes(event.key) && boxes().some(scrolls);
    if (answers(event) && !line && event.repeat) stop(event);
    else if (arrow && !line && !operatedByArrows(event)) {
      if (vote(event)) stop(event);
    } else if (scroll(event)) event.preventDefault();
  }, true);

  // Enter leaves the comment, so that the keys answer again.
  window.addEventListener("keydown", (event) =>
    ["Enter", "Escape"].includes(event.key) && event.target.matches("[aria-label=Comment]")
      && setTimeout(() => event.target.blur(), 50), true);

  for (const kind of ["pointerover", "focusin"]) {
    window.addEventListener(kind, (event) => {
      looked = event.target.closest?.(".tandem-sides > section, .tandem-context .tandem-text")
        || looked;
    });
  }

  // The texts take what room there is between the question and the bar of answers.
  const fit = () => {
    const [bar, side, main] = ["[data-testid=stBottom]", ".tandem-sides > section",
      "[data-testid=stMain]"].map((name) => document.querySelector(name));
    const root = document.documentElement.style;
    if (!bar || !side || !main) {  // another page, which has no bar
      root.removeProperty("--room");
      return;
    }
    const top = side.getBoundingClientRect().top + main.scrollTop;
    const room = `${Math.max(160, Math.floor(bar.getBoundingClientRect().top - top - 12))}px`;
    if (root.getPropertyValue("--room") !== room) root.setProperty("--room", room);
  };

  // What is hidden below says so; a dialogue opens at its last turn.
  const seen = new WeakSet();
  const mark = () => {
    fit();
    for (const box of boxes()) {
      if (!seen.has(box) && box.clientHeight) {
        seen.add(box);
        if (box.closest("[data-open=end]")) box.scrollTop = box.scrollHeight;
      }
      const more = below(box) > HIDDEN;
      if (box.classList.contains("tandem-more") !== more) {
        box.classList.toggle("tandem-more", more);
      }
    }
    const whole = !boxes().some(scrolls);
    if (document.body.classList.contains("tandem-whole") !== whole) {
      document.body.classList.toggle("tandem-whole", whole);
    }
  };
  let waiting = 0;
  const soon = () => { waiting = waiting || requestAnimationFrame(() => { waiting = 0; mark(); }); };
  new MutationObserver(soon).observe(document.body, {childList: true, subtree: true});
  for (const kind of ["scroll", "resize", "toggle"]) window.addEventListener(kind, soon, true);
  soon();
}
