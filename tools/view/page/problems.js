// Diagnostics, and the text that they are about.

const LINES_AROUND = 400;

function showProblems() {
  if (!data.diags.length) return;
  $('problems').hidden = false;
  $('problems').append(...data.diags.map(([severity, line, column, message, path]) => {
    const place = line ? `line ${line}${column ? `, column ${column}` : ''}` : path;
    return element(
        'p', {class: severity}, element('b', {}, `${severity}: `), message, ' ',
        place ? link(place, () => showSource(line)) : '');
  }));
  if (data.source && !data.steps.some(([, , records]) => records.length)) showSource(data.diags[0][1]);
}

// The lines around one, with their numbers; the line itself is marked.
function showSource(line) {
  const lines = data.source.split('\n'), first = Math.max(0, line - LINES_AROUND);
  showSheet('Text', '');
  $('sheet-text')
      .replaceChildren(...lines.slice(first, line + LINES_AROUND)
                           .map(
                               (text, i) => element(
                                   'span', first + i + 1 === line ? {class: 'bad-line'} : {},
                                   `${String(first + i + 1).padStart(5)}  ${text}\n`)));
  document.querySelector('.bad-line')?.scrollIntoView({block: 'center'});
}
