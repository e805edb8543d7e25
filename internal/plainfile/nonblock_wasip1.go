package plainfile

// nonblock: there are no pipes.
const nonblock = 0
