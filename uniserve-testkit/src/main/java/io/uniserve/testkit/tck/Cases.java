package io.uniserve.testkit.tck;

/** Common base of all groups of cases. */
interface Cases {
    /** The engine under test; it is open. */
    TckHarness bench();
}
