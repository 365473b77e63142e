// Elements are made here only, and texts become text nodes: no text of a model is read as HTML.

const $ = id => document.getElementById(id);

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on'))
      made.addEventListener(key.slice(2), value);
    else
      made.setAttribute(key, value);
  }
  made.append(...children.filter(child => child !== null));
  return made;
}

function shape(tag, attributes = {}, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const link = (text, go) => element(
    'a', {
      href: '#',
      onclick: event => {
        event.preventDefault();
        go();
      }
    },
    text);

function section(title, ...children) {
  return element('section', {}, element('h3', {}, title), ...children);
}

function table(rows, attributes = {}) {
  return element(
      'table', attributes,
      ...rows.map(row => element('tr', {}, ...row.map(cell => element('td', {}, cell)))));
}

const number = value => value === null || value === undefined ?
    '' :
    Number(value.toPrecision(4)).toLocaleString('en-US', {maximumFractionDigits: 8});

function bytes(count) {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  let unit = 0;
  for (; count >= 1024 && unit < 3; unit++) count /= 1024;
  return `${number(count)} ${units[unit]}`;
}
