// Linked into the tests, this limits how many of them run at once, and gives each a thread. It has no function to call.
//
// Swift Testing starts all tests together. With hundreds of them, one that waits would get its next turn so late that time limits would
// be meaningless.
//
// The environment takes precedence: `SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=2 swift test` runs two at once.
#ifndef TESTWIDTH_H
#define TESTWIDTH_H

#endif
