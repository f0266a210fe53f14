// a page of a run that goes on is read anew, where nobody is at work in it
const at = Number(document.currentScript.dataset.every) * 1000;
const read = () => document.hidden || document.activeElement.matches("select, button, input") || String(getSelection()) ? setTimeout(read, at) : location.reload();
setTimeout(read, at);
