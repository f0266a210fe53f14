const text = document.getElementById("markdown"), edit = document.getElementById("edit");
// a refused edit comes back open
if (edit?.open) text.focus();
let left = false;
// a second press while the next page loads decides nothing
addEventListener("submit", (event) => { if (left) event.preventDefault(); left = true; });
addEventListener("keydown", (event) => {
  if (event.target === text) {
    if (event.key === "Escape") text.blur();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) text.form.requestSubmit();
    return;
  }
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  const found = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (found) event.preventDefault();
  if (found && found === edit) { edit.open = true; text.focus(); } else found?.click();
});
