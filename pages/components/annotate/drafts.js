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
