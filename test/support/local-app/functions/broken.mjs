throw new TypeError('the module does not load');
