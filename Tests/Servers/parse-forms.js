// Reads URL-encoded forms from the standard input, one a line, and prints what `qs` makes of each as a line of JSON.
'use strict';

const fs = require('fs');
const qs = require('qs');

// Without qs's protections against what it takes for an attack: deep nesting, long arrays, names of Object's own properties.
const options = { depth: 1000, arrayLimit: 1000000, parameterLimit: Infinity, plainObjects: true };

const forms = fs.readFileSync(0, 'latin1').split('\n');
forms.pop(); // What follows the last line's end.
process.stdout.write(forms.map((form) => JSON.stringify(qs.parse(form, options)) + '\n').join(''));
