// Linked into the tests, this bounds how many of them run at once. It has nothing to be called.
//
// Swift Testing starts all tests together. There are hundreds here, and the threads on which Swift's tasks run are as few as the processors: with
// two, a test that waits for something gets its next turn when all others have had theirs, which was more than a minute later on a busy machine.
// No limit of time means anything then. With eight at once a turn comes in milliseconds, and the suite takes no longer.
//
// The environment goes before: `SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=2 swift test` runs two at once.
#ifndef TESTWIDTH_H
#define TESTWIDTH_H

#endif
