package io.uniserve.testkit.tck;

/** Common base of all groups of cases. */
interface TckCases {
    /** The engine under test; it is open. */
    TckHarness bench();
}
