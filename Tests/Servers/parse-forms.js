// Reads URL-encoded forms from standard input, one a line, and prints the result of `qs` for each as a line of JSON.
'use strict';

const fs = require('fs');
const qs = require('qs');

// Without qs's limits against attacks: deep nesting, long arrays, names of Object's own properties.
const options = { depth: 1000, arrayLimit: 1000000, parameterLimit: Infinity, plainObjects: true };

const forms = fs.readFileSync(0, 'latin1').split('\n');
forms.pop(); // The empty text after the last line break.
process.stdout.write(forms.map((form) => JSON.stringify(qs.parse(form, options)) + '\n').join(''));
