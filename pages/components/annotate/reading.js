// The texts of the question page: what room they take, what of them is hidden, what scrolls with
// what, and what is found in the context.
{
  const HIDDEN = 6;  // pixels below the fold that are worth a word
  const boxes = () => [...document.querySelectorAll(
    ".tandem-sides > section, .tandem-context .tandem-text")];
  const below = (box) => box.scrollHeight - box.clientHeight - box.scrollTop;
  const scrolls = (box) => box.scrollHeight - box.clientHeight > HIDDEN;
  let looked = null;  // the box that the pointer or the focus was on last
  Object.assign(tandem, {boxes, scrolls});
  tandem.current = () => looked && looked.isConnected && scrolls(looked) ? looked
    : boxes().find((box) => below(box) > HIDDEN) || boxes().find(scrolls);

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
    const {top: end, height} = bar.getBoundingClientRect();
    const top = side.getBoundingClientRect().top + main.scrollTop;
    const sizes = {"--room": Math.max(160, Math.floor(end - top - 12)), "--bar": Math.ceil(height)};
    for (const [name, size] of Object.entries(sizes)) {
      if (root.getPropertyValue(name) !== `${size}px`) root.setProperty(name, `${size}px`);
    }
  };

  // Nobody can say which text is better who has not seen both, as where B is below the fold on a
  // phone. A text was seen once its first line was above the bar.
  const LINE = 54;  // pixels of its letter and first line
  let seen = {key: "", sides: new Set()};
  tandem.findUnseen = () => {
    const key = document.querySelector("h1.tandem-question")?.dataset.key ?? "";
    if (seen.key !== key) seen = {key, sides: new Set()};
    const end = document.querySelector("[data-testid=stBottom]:has(.tandem-saved)");
    if (!end) return undefined;  // the bar, whose last piece it is, is not there yet
    const bar = end.getBoundingClientRect().top;
    const sides = [...document.querySelectorAll(".tandem-sides > section")];
    for (const side of sides) {
      const {top, bottom} = side.getBoundingClientRect();
      if (bottom > 0 && top + LINE < bar) seen.sides.add(side.className);
    }
    return sides.find((side) => !seen.sides.has(side.className));
  };
  window.addEventListener("scroll", tandem.findUnseen, {capture: true, passive: true});

  // Where A and B scroll together, each is as far as the other, as a share of what there is.
  const followed = new WeakMap();  // box -> where it was put
  window.addEventListener("scroll", (event) => {
    const box = event.target;
    if (!tandem.reading.together || !box.matches?.(".tandem-sides > section")) return;
    if (Math.abs((followed.get(box) ?? -9) - box.scrollTop) < 2) return;
    const share = box.scrollTop / Math.max(1, box.scrollHeight - box.clientHeight);
    for (const other of box.parentElement.children) {
      if (other === box) continue;
      other.scrollTop = share * (other.scrollHeight - other.clientHeight);
      followed.set(other, other.scrollTop);
    }
    followed.delete(box);
  }, true);

  // A screen reader hears the new question, and what became of the answer before it.
  const voice = tandem.node("div", {class: "tandem-voice", role: "status", "aria-live": "polite"});
  const speak = () => {
    const question = document.querySelector("h1.tandem-question");
    const key = question?.dataset.key ?? "";
    if (voice.dataset.key === key) return;
    voice.dataset.key = key;
    voice.textContent = question ? question.dataset.voice : "";
    if (!voice.isConnected) document.body.append(voice);
  };

  // A new question is read from its beginning, wherever the one before was left; a notice about an
  // answer is brought into sight. What is drawn again for the same question stays where it is.
  const begin = (box) => { box.scrollTop = box.closest("[data-open=end]") ? box.scrollHeight : 0; };
  let before = {key: "", said: ""};
  const arrive = () => {
    const question = document.querySelector("h1.tandem-question");
    const main = document.querySelector("[data-testid=stMain]");
    if (!question || !main) return;
    const notice = document.querySelector(".tandem-said");
    const now = {key: question.dataset.key ?? "", said: notice?.textContent ?? ""};
    const another = now.key !== before.key;
    const hidden = now.said && now.said !== before.said
      && notice.getBoundingClientRect().top < main.getBoundingClientRect().top;
    before = now;
    if (another || hidden) main.scrollTop = 0;
    if (another) boxes().forEach(begin);
    document.body.classList.toggle("tandem-scrolled", main.scrollTop > 8);
  };

  // Finding in the context. The text stays as it is: the browser paints over it.
  const found = {ranges: [], at: 0};
  const bar = () => document.querySelector(".tandem-find");
  const painted = (name, ranges) => {
    if (!window.Highlight) return;
    if (ranges.length) CSS.highlights.set(name, new Highlight(...ranges));
    else CSS.highlights.delete(name);
  };
  const go = (by) => {
    const {ranges} = found;
    const said = bar()?.querySelector("[role=status]");
    if (!said) return;
    const sought = bar().querySelector("input").value;
    found.at = ranges.length ? (found.at + by + ranges.length) % ranges.length : 0;
    said.textContent = ranges.length ? `${found.at + 1} of ${ranges.length}` : sought && "not found";
    painted("tandem-found", ranges);
    painted("tandem-found-here", ranges.slice(found.at, found.at + 1));
    if (!ranges.length) return;
    const box = bar().closest("details").querySelector(".tandem-text");
    const range = ranges[found.at];
    const [here, frame] = [range, box].map((one) => one.getBoundingClientRect());
    if (here.top < frame.top || here.bottom > frame.bottom) {
      box.scrollTop += here.top - frame.top - box.clientHeight / 3;
    }
    if (!window.Highlight) {
      getSelection().setBaseAndExtent(range.startContainer, range.startOffset, range.endContainer,
        range.endOffset);
    }
  };
  const search = () => {
    const sought = bar().querySelector("input").value;
    found.ranges = [];
    found.at = 0;
    if (sought) {
      const pattern = new RegExp(sought.replace(/[.*+?^${}()|[\]\\\/-]/g, "\\$&"), "gi");
      const box = bar().closest("details").querySelector(".tandem-text");
      const whole = box.querySelector(".tandem-all") ?? box;
      whole.open = true;
      const texts = document.createTreeWalker(whole, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const text = texts.currentNode;
        for (const match of text.data.matchAll(pattern)) {
          const range = document.createRange();
          range.setStart(text, match.index);
          range.setEnd(text, match.index + match[0].length);
          found.ranges.push(range);
        }
      }
    }
    go(0);
  };
  tandem.find = () => {
    if (!bar()) return false;
    bar().closest("details").open = true;
    bar().hidden = false;
    bar().querySelector("input").focus();
    bar().querySelector("input").select();
    return true;
  };
  const leave = () => {
    bar().hidden = true;
    bar().querySelector("input").value = "";
    search();
    bar().closest("details").querySelector(".tandem-text").focus();
  };
  window.addEventListener("input", (event) => event.target.closest?.(".tandem-find") && search());
  window.addEventListener("keydown", (event) => {
    if (!event.target.matches?.(".tandem-find input")) return;
    if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }, true);
  window.addEventListener("click", (event) => {
    const way = event.target.closest?.("[data-find]")?.dataset.find;
    if (way === "leave") leave();
    else if (way) go(Number(way));
  });

  // What is hidden below says so; a dialogue opens at its last turn.
  // Its height is limited by a style that may come after its text: its size is watched for that.
  const begun = new WeakSet();
  const watched = new WeakSet();
  const mark = () => {
    tandem.showMessages();
    fit();
    tandem.paint();
    tandem.restoreComment();
    speak();
    arrive();
    tandem.findUnseen();
    if (!bar() && found.ranges.length) {
      found.ranges = [];
      painted("tandem-found", []);
      painted("tandem-found-here", []);
    }
    for (const box of boxes()) {
      if (!watched.has(box)) {
        watched.add(box);
        sizes.observe(box);
      }
      if (!begun.has(box) && scrolls(box)) {
        begun.add(box);
        begin(box);
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
  const sizes = new ResizeObserver(soon);
  new MutationObserver(soon).observe(document.body, {childList: true, subtree: true});
  for (const kind of ["scroll", "resize", "toggle"]) window.addEventListener(kind, soon, true);
  soon();
}
