const texts = [...document.querySelectorAll("details[data-key]")];
// a refused text comes back open
texts.find((details) => details.open)?.querySelector("textarea").focus();
let left = false;
// a second press while the next page loads decides nothing
addEventListener("submit", (event) => { if (left) event.preventDefault(); left = true; });
addEventListener("keydown", (event) => {
  if (event.target.matches("textarea")) {
    if (event.key === "Escape") event.target.blur();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.target.form.requestSubmit();
    return;
  }
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  const found = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (found) event.preventDefault();
  if (found && texts.includes(found)) { found.open = true; found.querySelector("textarea").focus(); } else found?.click();
});
