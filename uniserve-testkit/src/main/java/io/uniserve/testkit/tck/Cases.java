package io.uniserve.testkit.tck;

/** What every group of cases needs. */
interface Cases {
    /** The engine under test, open. */
    TckBench bench();
}
