// Code of groups, in a sheet over the drawing.

const codeOf = new Map();
for (const [group, form, code] of data.code) {
  if (!codeOf.has(group)) codeOf.set(group, []);
  codeOf.get(group).push({form, code});
}

function codeSection(op) {
  const forms = codeOf.get(op.number);
  if (!forms) return null;
  const buttons = forms.map(
      ({form, code}) => element(
          'button', {class: 'code', onclick: () => showSheet(`${form} of ${op.label}`, code)},
          `${form} (${code.split('\n').length} lines)`));
  return section('Code', element('div', {}, ...buttons));
}

function showSheet(title, text) {
  $('sheet-title').textContent = title;
  $('sheet-text').textContent = text;
  $('sheet').hidden = false;
}

function closeSheet() {
  $('sheet').hidden = true;
}
