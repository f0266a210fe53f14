// a page of a run that goes on is read anew, unless it is paused or somebody is at work in it
const every = Number(document.currentScript.dataset.every) * 1000;
const waits = () => document.hidden || location.hash === "#pause" || String(getSelection())
  || document.activeElement.matches("select, button, input");
const read = () => waits() ? setTimeout(read, every) : location.reload();
setTimeout(read, every);
